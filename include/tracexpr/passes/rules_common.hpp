// What the rules of simplify share: reading literals, making nodes, and giving a value the shape that a broken-up op had.
#pragma once

#include <tracexpr/graph/fold.hpp>
#include <tracexpr/passes/rewrite.hpp>

namespace tx::rules {

// The literal whose value all elements of the node have, or none.
constexpr node_id uniform_value(rewriter const& r, node_id id) {
    node const& n = r[id];
    if (n.code == op::literal) return id;
    if (n.code == op::broadcast_to && r[n.operand[0]].code == op::literal) return n.operand[0];
    return node_id::none;
}

// The small whole number, -1 to 4, that a literal is, else not_small. Of the floating zeros only +0 is 0.
inline constexpr int not_small = -128;
constexpr int small_whole(node const& literal) {
    if (!is_inexact(literal.type))
        return literal.bits[0] <= 4 ? static_cast<int>(literal.bits[0]) : ~literal.bits[0] == 0 ? -1 : not_small;
    double const value = std::bit_cast<double>(literal.bits[0]);
    if (!(value >= -1 && value <= 4) || literal.bits[0] == sign_bit || literal.bits[1] != 0) return not_small;
    return static_cast<double>(static_cast<int>(value)) == value ? static_cast<int>(value) : not_small;
}
constexpr bool is_minus_zero(node const& literal) {
    return is_inexact(literal.type) && literal.bits[0] == sign_bit &&
           literal.bits[1] == (is_complex(literal.type) ? sign_bit : 0);
}
constexpr literal_bits whole_literal(dtype type, int value) {
    if (!is_inexact(type)) return wrapped_literal(type, static_cast<std::uint64_t>(std::int64_t{value}));
    return real_literal(static_cast<double>(value));
}

constexpr node_id make_unary(rewriter& r, op code, dtype type, std::uint32_t shape, node_id x) {
    return r.make({code, type, shape, 1, {x, node_id::none, node_id::none}, {}, {}});
}
constexpr node_id make_binary(rewriter& r, op code, dtype type, std::uint32_t shape, node_id x, node_id y) {
    return r.make({code, type, shape, 2, {x, y, node_id::none}, {}, {}});
}
// A view or reduction of one operand. The attributes must not be the rewriter's own.
constexpr node_id make_view(rewriter& r, op code, dims const& shape, node_id x, std::int64_t const* attributes,
                            int attribute_count) {
    stretch const place = r.add_attributes(attributes, static_cast<std::size_t>(attribute_count));
    return r.make({code, r[x].type, r.shape_number(shape), 1, {x, node_id::none, node_id::none}, place, {}});
}
constexpr node_id make_broadcast(rewriter& r, dims const& shape, node_id x) {
    return make_view(r, op::broadcast_to, shape, x, shape.extent, shape.rank);
}

// Whether a value of shape `y`, broadcast with one of shape `x`, surely has shape `x` when the graph runs.
constexpr bool broadcasts_into(dims const& y, dims const& x) {
    if (y.rank < 0 || x.rank < y.rank) return y.rank == 0;
    for (int i = 1; i <= y.rank; ++i) {
        std::int64_t const extent = y[y.rank - i];
        if (extent != 1 && (extent == dyn || extent != x[x.rank - i])) return false;
    }
    return true;
}

// Is y something broadcast to the shape of x?
constexpr bool follows(rewriter const& r, node_id y, node_id x) {
    node const& n = r[y];
    return n.code == op::broadcast_to && n.arity == 2 && n.operand[1] == x;
}

// Whether the pointwise op's result surely has the shape of this operand.
constexpr bool has_shape_of(rewriter const& r, node const& d, node_id x) {
    if (r[x].shape != d.shape) return false;
    dims const& shape = r.shape_of(x);
    if (shape.is_static()) return true;
    for (std::uint32_t k = 0; k < d.arity; ++k)
        if (d.operand[k] != x && !broadcasts_into(r.shape_of(d.operand[k]), shape) && !follows(r, d.operand[k], x)) return false;
    return true;
}

// `value` as the result of the pointwise op, broadcast where that has more elements. `like`: the operand whose shape the value
// has; none for literals. Gives none where the shape is not known well enough.
constexpr node_id as_result(rewriter& r, node const& d, node_id value, node_id like = node_id::none) {
    if (like == node_id::none ? r[value].shape == d.shape : has_shape_of(r, d, like)) return value;
    dims const shape = r.shape_of(d);
    if (shape.is_static()) return make_broadcast(r, shape, value);
    if (r.shape_of(value).rank != 0) return node_id::none;
    for (std::uint32_t k = 0; k < d.arity; ++k)
        if (has_shape_of(r, d, d.operand[k]))
            return make_binary(r, op::broadcast_to, r[value].type, d.shape, value, d.operand[k]);
    return node_id::none;
}

// A pointwise op that the rules look at. Each rule answers with the node that the op becomes, or none.
struct pointwise_site {
    rewriter& r;
    node d;
    node_id value[3]{node_id::none, node_id::none, node_id::none}; // the literal that operand k is everywhere, or none

    constexpr node_id a() const { return d.operand[0]; }
    constexpr node_id b() const { return d.operand[1]; }
    constexpr op code_of(std::uint32_t k) const { return r.code(d.operand[k]); }
    constexpr node_id inner(std::uint32_t k) const { return r[d.operand[k]].operand[0]; } // operand 0 of operand k
    constexpr bool has_value(std::uint32_t k) const { return value[k] != node_id::none; }
    constexpr int whole(std::uint32_t k) const { return has_value(k) ? small_whole(r[value[k]]) : not_small; }
    constexpr literal_bits bits_of(std::uint32_t k) const { return {r[value[k]].bits[0], r[value[k]].bits[1]}; }
    constexpr dtype operand_type() const { return r[d.operand[d.arity - 1]].type; }
    constexpr bool fast() const { return r.options().fast_math; }
    // Whether operand k surely has the shape of the result.
    constexpr bool shapes(std::uint32_t k) const { return has_shape_of(r, d, d.operand[k]); }

    // Operand k, or a value of its shape, or one literal, is the result.
    constexpr node_id result(std::uint32_t k) { return as_result(r, d, d.operand[k], d.operand[k]); }
    constexpr node_id result(node_id x, std::uint32_t k) { return as_result(r, d, x, d.operand[k]); }
    constexpr node_id result(literal_bits x) { return as_result(r, d, r.literal(d.type, x)); }
    constexpr node_id result_whole(int x) { return result(whole_literal(d.type, x)); }
    // Another op in its place; the operands have the shapes of its own.
    constexpr node_id made(op code, node_id x) { return make_unary(r, code, d.type, d.shape, x); }
    constexpr node_id made(op code, node_id x, node_id y) { return make_binary(r, code, d.type, d.shape, x, y); }

    // Commutative ops: literals second, else the older node first.
    constexpr bool out_of_order() const { return has_value(0) != has_value(1) ? has_value(0) : a() > b(); }
    constexpr void swap_operands() {
        node_id const first = d.operand[0], first_value = value[0];
        d.operand[0] = d.operand[1], d.operand[1] = first;
        value[0] = value[1], value[1] = first_value;
    }
};

} // namespace tx::rules
