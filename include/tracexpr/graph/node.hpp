// This file holds the nodes of a graph, and the entries of its side tables.
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

// A stretch is a range of entries of one of the graph's side tables.
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
    // Up to three operands are stored here. With more, operand[0] is where they start in the side table.
    node_id operand[3]{node_id::none, node_id::none, node_id::none};
    // These are the axes, permutation, slice bounds and so on of the op; see infer.hpp for the rules of each.
    stretch attributes;
    // A literal has the bits of its value here (the imaginary part second); a parameter, capture or placeholder its number; a
    // constant its place in the blob; and a node that may have an effect has 1 if its last operand is a token.
    std::uint64_t bits[2]{};
};
// literal_bits is the value of a literal, or the two numbers `bits` of a node that is being made.
struct literal_bits {
    std::uint64_t low = 0, high = 0;
};

namespace detail {
// A builder_spec is what is known of an operand or a result. At compile time that is what types tell, and at run time everything.
struct builder_spec {
    dtype type{};
    dims shape{}; // The rank may be unknown where types leave it open.
};
using builder_specs = table_view<builder_spec>;

struct seen_value;
struct variable_access;
} // namespace detail

// A captured is a tensor that lives outside of the graph: its address, and how to read its elements and shape when the graph
// runs.
struct captured {
    void const* address = nullptr;
    void const* (*data)(void const* tensor) = nullptr;
    dims (*shape)(void const* tensor) = nullptr;
    detail::seen_value (*see)(void const* tensor) = nullptr;
    // Tensors that tx::capture bound to a callable are numbered from 1 on (there are several for a struct's members). The address
    // is then within an object that stands for all callables of the type, and a call finds the tensor at the same place of its
    // own callable (run/captured_leaves.hpp).
    std::uint32_t in_callable = 0;
    // For a variable, this says how a new value is assigned to it (trace/assignments.hpp).
    detail::variable_access const* access = nullptr;
    // Functions are compared last, as g++ can't compare all of them while it compiles for a sanitizer.
    TRACEXPR_ONCE friend constexpr bool operator==(captured const& a, captured const& b) {
        return a.address == b.address && a.in_callable == b.in_callable && a.data == b.data && a.shape == b.shape &&
               a.see == b.see;
    }
};

// An operand_check is a condition on the operands of a function that consists of several ops. It is checked again when a run
// knows the extents, by a node op::checked which has the number of the check. Such a node has the value of its first operand; the
// check is of the others. Its attributes are the number of batch axes in front of each operand, or there are none if no operand
// has any.
struct operand_check {
    char const* called = nullptr; // the function's name in messages
    char const* (*problem)(detail::builder_specs given) = nullptr;
    std::uint32_t hidden = 0;    // Set bits mark operands that are options, whose shapes a message doesn't show.
    char const* asked = nullptr; // The text that a message puts after the shapes.

    // Different functions may share one check of operands, so the names in their messages are compared, too.
    TRACEXPR_ONCE friend constexpr bool operator==(operand_check const& a, operand_check const& b) {
        auto const same = [](char const* x, char const* y) { return x && y ? std::string_view(x) == y : !x && !y; };
        return a.hidden == b.hidden && same(a.called, b.called) && same(a.asked, b.asked) && a.problem == b.problem;
    }
};

// True if a node of this op may take a token and give one, so that it is executed in program order.
TRACEXPR_ONCE constexpr bool may_take_token(op code) {
    kind const k = info(code).kind;
    return k == kind::control || k == kind::effect || k == kind::callback;
}
// True if the node is executed exactly once in each run, in program order: prints and calls are, and branches and loops which
// contain some.
constexpr bool has_effect(node const& n) { return may_take_token(n.code) && n.bits[0] != 0; }
// Returns the number of operands, from the first on, whose elements an op reads. It uses only the shape of the others.
TRACEXPR_ONCE constexpr std::size_t value_operands(node const& n) {
    kind const k = info(n.code).kind;
    if (k == kind::leaf || k == kind::projection) return 0;
    if (may_take_token(n.code)) return n.arity - (has_effect(n) ? 1 : 0); // the last may be a token
    if (k == kind::random) return 1;
    bool const is_first = n.code == op::broadcast_to || n.code == op::sum_to || n.code == op::reshape || n.code == op::checked;
    return is_first ? 1 : n.arity;
}

// A region is a graph that belongs to a node, such as a branch. It refers to nothing in the graph around it: all that it needs
// are parameters.
struct region {
    stretch nodes;               // in region_nodes
    stretch parameters, outputs; // in more_operands
    friend constexpr bool operator==(region const&, region const&) = default;
};

// assigned_variable is a variable that a call assigns a value to: either a capture or an argument. The assigned values are the
// last outputs of the trace, followed only by a token.
struct assigned_variable {
    std::int32_t capture = -1;   // the number of the capture, or -1
    std::int32_t parameter = -1; // the number of the parameter, or -1
    node_id value = node_id::none;
    friend constexpr bool operator==(assigned_variable const&, assigned_variable const&) = default;
};

} // namespace tx
