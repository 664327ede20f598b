// What graphs are made of: nodes, and what stands in a graph's side tables.
#pragma once

#include <tracexpr/base/shape.hpp>
#include <tracexpr/base/table_view.hpp>
#include <tracexpr/graph/op.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tx {

enum class node_id : std::int32_t { none = -1 };
constexpr std::size_t index(node_id id) { return static_cast<std::size_t>(id); }
constexpr node_id to_id(std::size_t i) { return static_cast<node_id>(i); }

// A stretch of one of the graph's side tables.
struct stretch {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    friend constexpr bool operator==(stretch, stretch) = default;
};

struct node {
    op code{};
    dtype type{};
    std::uint32_t shape = 0; // number in the graph's table of shapes
    std::uint32_t arity = 0;
    // Up to three operands; with more, operand[0] is where they start in the side table.
    node_id operand[3]{node_id::none, node_id::none, node_id::none};
    // Axes, permutations, slices … of the op; see infer.hpp for each op's form.
    stretch attributes;
    // literal: the value's bits (imaginary part second). parameter, capture, placeholder: its number. constant: its place in the
    // blob. What may have an effect: 1 if its last operand is a token.
    std::uint64_t bits[2]{};
};
// The payload of a node that is being made.
struct literal_bits {
    std::uint64_t low = 0, high = 0;
};

namespace detail {
// What is known of an operand or a result. The compiler knows what types tell, a run knows all.
struct builder_spec {
    dtype type{};
    dims shape{}; // its rank may be unknown where types leave it open
};
using builder_specs = table_view<builder_spec>;

struct seen_value;
struct variable_access;
} // namespace detail

// A tensor that lives outside the graph: its address, and how to read its elements and shape when the graph runs.
struct captured {
    void const* address = nullptr;
    void const* (*data)(void const* tensor) = nullptr;
    dims (*shape)(void const* tensor) = nullptr;
    detail::seen_value (*see)(void const* tensor) = nullptr;
    // What tx::capture gave a callable is numbered: 1 and more, for a struct's members. The address is then within an object that
    // stands for all callables of the type, and a call finds the tensor at the same place of its own (run/captured_leaves.hpp).
    std::uint32_t in_callable = 0;
    // Of a variable: how it is given another value (trace/assignments.hpp).
    detail::variable_access const* access = nullptr;
    // Functions are compared last: g++ can't tell all of them apart while it compiles for a sanitizer.
    friend constexpr bool operator==(captured const& a, captured const& b) {
        return a.address == b.address && a.in_callable == b.in_callable && a.data == b.data && a.shape == b.shape &&
               a.see == b.see;
    }
};

// What a function of several ops asks of its operands, to be asked again when a run knows their extents: op::checked has its
// number. Such a node is the value of its first operand; what is asked is asked of the others. Its attributes are, for each
// operand, how many axes in front are those of batches; without attributes none are.
struct operand_check {
    char const* called = nullptr; // the function's name in messages
    char const* (*problem)(detail::builder_specs given) = nullptr;
    std::uint32_t hidden = 0;    // bits of operands that are options, whose shapes a message doesn't show
    char const* asked = nullptr; // what a message says behind the shapes

    // Functions may ask the same of their operands, so what a message says counts, too.
    friend constexpr bool operator==(operand_check const& a, operand_check const& b) {
        auto const same = [](char const* x, char const* y) { return x && y ? std::string_view(x) == y : !x && !y; };
        return a.hidden == b.hidden && same(a.called, b.called) && same(a.asked, b.asked) && a.problem == b.problem;
    }
};

// May it take a token and give one, to be done in program order?
constexpr bool may_take_token(op code) {
    kind const k = info(code).kind;
    return k == kind::control || k == kind::effect || k == kind::callback;
}
// Is it done once in each run, in program order? Prints and calls are, and branches and loops with such in them.
constexpr bool has_effect(node const& n) { return may_take_token(n.code) && n.bits[0] != 0; }
// How many operands an op reads elements of: the first ones. Of the others it takes the shape.
constexpr std::size_t value_operands(node const& n) {
    kind const k = info(n.code).kind;
    if (k == kind::leaf || k == kind::projection) return 0;
    if (may_take_token(n.code)) return n.arity - (has_effect(n) ? 1 : 0); // the last may be a token
    if (k == kind::random) return 1;
    bool const is_first = n.code == op::broadcast_to || n.code == op::sum_to || n.code == op::reshape || n.code == op::checked;
    return is_first ? 1 : n.arity;
}

// A graph that belongs to a node: a branch. It sees nothing of the graph around it, all it needs are parameters.
struct region {
    stretch nodes;               // of region_nodes
    stretch parameters, outputs; // of more_operands
    friend constexpr bool operator==(region const&, region const&) = default;
};

// A variable that a call stores a value into: where it is captured, or which argument it is. The values are the trace's last
// outputs but for a token.
struct assigned_variable {
    std::int32_t capture = -1;   // its number
    std::int32_t parameter = -1; // likewise
    node_id value = node_id::none;
    friend constexpr bool operator==(assigned_variable const&, assigned_variable const&) = default;
};

} // namespace tx
