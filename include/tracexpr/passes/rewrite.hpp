// A walk over a graph into a new one. Each node that an output needs is offered to a rule once, with operands that are of the new
// graph; a rule answers with a node of that graph, and gives the nodes it makes on the way to the rule again. Therefore every node of the
// result is one that the rule leaves alone. The walk knows no rules.
#pragma once

#include <tracexpr/graph/graph.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/passes/options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tx {

// A node that is not appended yet. Its shape and operands are of the new graph.
struct draft {
    op code{};
    dtype type{};
    std::uint32_t shape = 0;
    std::uint32_t arity = 0;
    node_id operand[3]{node_id::none, node_id::none, node_id::none};
    node_id const* many = nullptr; // all operands, where there are more than three
    std::int64_t const* attributes = nullptr;
    std::uint32_t attribute_count = 0;
    literal_bits bits{};

    constexpr std::span<node_id const> operands() const { return {many ? many : operand, arity}; }
    constexpr std::span<std::int64_t const> attribute_span() const { return {attributes, attribute_count}; }
};

class rewriter {
public:
    using rule = node_id (*)(rewriter&, draft);

    constexpr rewriter(graph_view const& in, rule apply, pass_options const& options) : in_{in}, apply_{apply}, options_{options} {}

    // Once.
    constexpr void walk() {
        find_live();
        moved_ = buffer<node_id>(in_.size(), node_id::none);
        shapes_ = buffer<std::int32_t>(in_.shapes.size(), -1);
        for (node_id id : in_.parameters)
            if (id != node_id::none) moved_[index(id)] = out_.append_copy(in_, in_[id], {});
        for (std::size_t i = 0, count = in_.size(); i < count; ++i)
            if (live_[i]) move(i);
        for (node_id id : in_.outputs) out_.add_output(moved_[index(id)]);
    }

    constexpr graph& out() { return out_; }
    constexpr pass_options const& options() const { return options_; }
    // Whether the rule made nodes that were not asked for: some may be of no use, or stand in another order than a copy would have.
    constexpr bool made_any() const { return made_any_; }

    // Of the new graph. The reference holds until the next append.
    constexpr node const& operator[](node_id id) const { return out_[id]; }
    constexpr op code(node_id id) const { return out_[id].code; }
    constexpr dims const& shape_of(node_id id) const { return out_.shape_of(id); }
    constexpr dims const& shape_of(draft const& d) const { return out_.view().shapes[d.shape]; }
    constexpr std::span<std::int64_t const> attributes_of(node const& n) const { return out_.attributes_of(n); }

    constexpr node_id append(draft const& d) {
        return out_.append(d.code, d.type, d.shape, d.operands(), d.attribute_span(), d.bits);
    }
    // A node that no rule has seen.
    constexpr node_id make(draft const& d) {
        made_any_ = true;
        return apply_(*this, d);
    }
    constexpr node_id literal(dtype type, literal_bits bits) {
        made_any_ = true;
        return out_.append(op::literal, type, out_.shape_number(dims{}), {}, {}, bits);
    }
    constexpr std::uint32_t shape_number(dims const& d) { return out_.shape_number(d); }

private:
    constexpr void find_live() {
        live_ = buffer<bool>(in_.size(), false);
        bool* const live = live_.data();
        for (node_id id : in_.outputs) live[index(id)] = true;
        node const* const nodes = in_.nodes.data();
        for (std::size_t i = in_.size(); i-- > 0;) {
            if (!live[i]) continue;
            node const& n = nodes[i];
            node_id const* const operand = n.arity <= 3 ? n.operand : in_.more_operands.data() + index(n.operand[0]);
            for (std::uint32_t k = 0; k < n.arity; ++k) live[static_cast<std::size_t>(operand[k])] = true;
        }
    }

    constexpr void move(std::size_t i) {
        node const& n = in_.nodes.data()[i];
        node_id* const moved = moved_.data();
        if (n.arity == 0 && n.code != op::literal && n.code != op::iota) {
            if (moved[i] == node_id::none) moved[i] = out_.append_copy(in_, n, {});
            return;
        }
        draft d;
        d.code = n.code, d.type = n.type, d.arity = n.arity;
        d.shape = moved_shape(n.shape);
        d.attributes = in_.attributes.data() + n.attributes.first, d.attribute_count = n.attributes.count;
        d.bits = {n.bits[0], n.bits[1]};
        if (n.arity <= 3) {
            for (std::uint32_t k = 0; k < n.arity; ++k) d.operand[k] = moved[static_cast<std::size_t>(n.operand[k])];
            moved[i] = apply_(*this, d);
            return;
        }
        buffer<node_id> operands(n.arity);
        for (std::uint32_t k = 0; k < n.arity; ++k) operands[k] = moved[index(in_.operand(n, k))];
        d.many = operands.data();
        moved[i] = apply_(*this, d);
    }
    constexpr std::uint32_t moved_shape(std::uint32_t number) {
        std::int32_t& known = shapes_.data()[number];
        if (known < 0) known = static_cast<std::int32_t>(out_.shape_number(in_.shapes[number]));
        return static_cast<std::uint32_t>(known);
    }

    graph_view in_;
    rule apply_;
    pass_options options_;
    graph out_;
    buffer<bool> live_;
    buffer<node_id> moved_;            // node of the old graph -> node of the new one
    buffer<std::int32_t> shapes_;      // the same for shapes; -1 where not seen yet
    bool made_any_ = false;
};

namespace detail {
constexpr node_id keep(rewriter& r, draft d) { return r.append(d); }
} // namespace detail

// The part of a graph that its outputs need, and all parameters.
constexpr graph live_part(graph_view const& in) {
    rewriter r(in, detail::keep, {});
    r.walk();
    return std::move(r.out());
}

} // namespace tx
