// This file holds functions that the rules of simplify share: they read literals, make nodes, and give a value the shape that the
// result of a removed op had.
#pragma once

#include <tracexpr/graph/fold.hpp>
#include <tracexpr/passes/rewrite.hpp>

#include <initializer_list>
#include <string_view>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

// Returns the literal whose value all elements of the node have, or none.
TRACEXPR_ONCE constexpr node_id uniform_value(rewriter const& r, node_id id) {
    node const& n = r[id];
    if (n.code == op::literal) return id;
    if (n.code == op::broadcast_to && r[n.operand[0]].code == op::literal) return n.operand[0];
    return node_id::none;
}

// Returns a literal's value if it is a whole number from -1 to 4, else not_small. Of the floating-point zeros only +0 is 0.
inline constexpr int not_small = -128;
TRACEXPR_ONCE constexpr int small_whole(node const& literal) {
    if (!is_inexact(literal.type))
        return literal.bits[0] <= 4 ? static_cast<int>(literal.bits[0]) : ~literal.bits[0] == 0 ? -1 : not_small;
    constexpr std::uint64_t infinity = 0x7ff0'0000'0000'0000;
    if ((literal.bits[0] & ~sign_bit) >= infinity) return not_small; // nvcc's constant evaluation compares no NaN
    double const value = std::bit_cast<double>(literal.bits[0]);
    if (!(value >= -1 && value <= 4) || literal.bits[0] == sign_bit || literal.bits[1] != 0) return not_small;
    return static_cast<double>(static_cast<int>(value)) == value ? static_cast<int>(value) : not_small;
}
TRACEXPR_ONCE constexpr bool is_minus_zero(node const& literal) {
    return is_inexact(literal.type) && literal.bits[0] == sign_bit &&
           literal.bits[1] == (is_complex(literal.type) ? sign_bit : 0);
}
TRACEXPR_ONCE constexpr literal_bits whole_literal(dtype type, int value) {
    if (!is_inexact(type)) return wrapped_literal(type, static_cast<std::uint64_t>(std::int64_t{value}));
    return real_literal(static_cast<double>(value));
}

TRACEXPR_ONCE constexpr node_id make_unary(rewriter& r, op code, dtype type, std::uint32_t shape, node_id x) {
    return r.make({code, type, shape, 1, {x, node_id::none, node_id::none}, {}, {}});
}
TRACEXPR_ONCE constexpr node_id make_binary(rewriter& r, op code, dtype type, std::uint32_t shape, node_id x, node_id y) {
    return r.make({code, type, shape, 2, {x, y, node_id::none}, {}, {}});
}
// Makes a view or reduction of one operand. The attributes must not be the rewriter's own.
TRACEXPR_ONCE constexpr node_id make_view(rewriter& r, op code, dims const& shape, node_id x, std::int64_t const* attributes,
                                          int attribute_count) {
    stretch const place = r.add_attributes(attributes, static_cast<std::size_t>(attribute_count));
    return r.make({code, r[x].type, r.shape_number(shape), 1, {x, node_id::none, node_id::none}, place, {}});
}
constexpr node_id make_broadcast(rewriter& r, dims const& shape, node_id x) {
    return make_view(r, op::broadcast_to, shape, x, shape.extent, shape.rank);
}

// Does a value of shape `y`, broadcast with one of shape `x`, surely have shape `x` when the graph runs?
TRACEXPR_ONCE constexpr bool broadcasts_into(dims const& y, dims const& x) {
    if (y.rank < 0 || x.rank < y.rank) return y.rank == 0;
    for (int i = 1; i <= y.rank; ++i) {
        std::int64_t const extent = y[y.rank - i];
        if (extent != 1 && (extent == dyn || extent != x[x.rank - i])) return false;
    }
    return true;
}

// Is y broadcast to the shape of x?
TRACEXPR_ONCE constexpr bool follows(rewriter const& r, node_id y, node_id x) {
    node const& n = r[y];
    return n.code == op::broadcast_to && n.arity == 2 && n.operand[1] == x;
}

// Does the pointwise op's result surely have the shape of this operand?
TRACEXPR_ONCE constexpr bool has_shape_of(rewriter const& r, node const& d, node_id x) {
    if (r[x].shape != d.shape) return false;
    dims const& shape = r.shape_of(x);
    if (shape.is_static()) return true;
    for (std::uint32_t k = 0; k < d.arity; ++k)
        if (d.operand[k] != x && !broadcasts_into(r.shape_of(d.operand[k]), shape) && !follows(r, d.operand[k], x)) return false;
    return true;
}

// Broadcasts `value`, an operand of d, to d's shape, if another operand of d is broadcast to the shape of a pointwise op on
// `value`: that op's shape is d's.
TRACEXPR_ONCE constexpr node_id broadcast_beside(rewriter& r, node const& d, node_id value) {
    for (std::uint32_t k = 0; k < d.arity; ++k) {
        node const& y = r[d.operand[k]];
        if (y.code != op::broadcast_to || y.arity != 2 || y.shape != d.shape) continue;
        node const& like = r[y.operand[1]];
        for (std::uint32_t j = 0; info(like.code).kind == kind::pointwise && j < like.arity; ++j)
            if (like.operand[j] == value) return make_binary(r, op::broadcast_to, r[value].type, d.shape, value, y.operand[1]);
    }
    return node_id::none;
}

// Makes `value` the result of the pointwise op d, broadcast if d has more elements. `like` is the operand whose shape the value
// has; none for literals. Returns none if the shape is not known well enough.
TRACEXPR_ONCE constexpr node_id as_result(rewriter& r, node const& d, node_id value, node_id like = node_id::none) {
    if (like == node_id::none ? r[value].shape == d.shape : has_shape_of(r, d, like)) return value;
    dims const shape = r.shape_of(d);
    if (shape.is_static()) return make_broadcast(r, shape, value);
    if (r.shape_of(value).rank != 0) return broadcast_beside(r, d, value);
    for (std::uint32_t k = 0; k < d.arity; ++k)
        if (has_shape_of(r, d, d.operand[k]))
            return make_binary(r, op::broadcast_to, r[value].type, d.shape, value, d.operand[k]);
    return node_id::none;
}

// These are facts that a rule may require before it is asked. first(), second() and third() make facts of an operand from these:
namespace is {
inline constexpr std::uint64_t uniform = 1; // all elements are one literal
inline constexpr std::uint64_t literal = 2; // the operand is itself that literal
inline constexpr std::uint64_t zero = 4, one = 8, two = 16, three = 32, four = 64, minus_one = 128, minus_zero = 256;
inline constexpr std::uint64_t negative = 512; // it is an op::negative
inline constexpr std::uint64_t same_op = 1024; // it is the same op as its user
// These facts tell the dtype of the last operand:
inline constexpr std::uint64_t whole = 1ull << 48, inexact = 2 * whole, real = 4 * whole, number = 8 * whole,
                               boolean = 16 * whole;
// These facts are about the op:
inline constexpr std::uint64_t single = 32 * whole, pair = 64 * whole; // it has one operand; two
inline constexpr std::uint64_t doubled = 128 * whole;                  // they are the same node
inline constexpr std::uint64_t ranked = 256 * whole;                   // the first one's rank is known (of views and reductions)
} // namespace is
constexpr std::uint64_t first(std::uint64_t of_operand) { return of_operand; }
constexpr std::uint64_t second(std::uint64_t of_operand) { return of_operand << 16; }
constexpr std::uint64_t third(std::uint64_t of_operand) { return of_operand << 32; }

struct fact_table {
    std::uint64_t of_dtype[dtype_count]{};
    std::uint64_t of_whole[6]{is::minus_one, is::zero, is::one, is::two, is::three, is::four};
    std::uint64_t of_arity[4]{0, is::single, is::pair, 0};

    constexpr fact_table() {
        for (std::size_t i = 0; i < dtype_count; ++i) {
            dtype const type = static_cast<dtype>(i);
            of_dtype[i] = (is_inexact(type) ? is::inexact : is::whole) | (is_complex(type) ? 0 : is::real) |
                          (type == dtype::boolean ? is::boolean : is::number);
        }
    }
};
inline constexpr fact_table known_facts;

// A site is a node to which rules are applied. Each rule returns the node that it becomes, or none.
struct site {
    rewriter& r;
    node d;
    // if all elements of operand k are one literal: that literal; else none
    node_id value[3]{node_id::none, node_id::none, node_id::none};
    std::uint64_t facts = 0;

    constexpr node_id a() const { return d.operand[0]; }
    constexpr node_id b() const { return d.operand[1]; }
    constexpr op code_of(std::uint32_t k) const { return r.code(d.operand[k]); }
    constexpr node_id inner(std::uint32_t k) const { return r[d.operand[k]].operand[0]; } // operand 0 of operand k
    TRACEXPR_ONCE constexpr literal_bits bits_of(std::uint32_t k) const { return {r[value[k]].bits[0], r[value[k]].bits[1]}; }
    constexpr dtype operand_type() const { return r[d.operand[d.arity - 1]].type; }
    constexpr dims const& given() const { return r.shape_of(d.operand[0]); } // until the next append, as all references
    // Does operand k surely have the shape of the result?
    constexpr bool shapes(std::uint32_t k) const { return has_shape_of(r, d, d.operand[k]); }

    // Return operand k, or a value of its shape, or a literal, as the op's result, broadcast if necessary.
    constexpr node_id result(std::uint32_t k) { return as_result(r, d, d.operand[k], d.operand[k]); }
    constexpr node_id result(node_id x, std::uint32_t k) { return as_result(r, d, x, d.operand[k]); }
    constexpr node_id result(literal_bits x) { return as_result(r, d, r.literal(d.type, x)); }
    constexpr node_id result_whole(int x) { return result(whole_literal(d.type, x)); }
    // Returns x as the op's result, unless the op's shape is known better than x's.
    constexpr node_id instead(node_id x) const { return r[x].shape == d.shape ? x : node_id::none; }
    // Make another op of the op's dtype and shape.
    constexpr node_id made(op code, node_id x) { return make_unary(r, code, d.type, d.shape, x); }
    constexpr node_id made(op code, node_id x, node_id y) { return make_binary(r, code, d.type, d.shape, x, y); }

    // Finds the facts of operand k.
    TRACEXPR_ONCE constexpr void look_at(std::uint32_t k) {
        node_id const id = d.operand[k];
        node const* of = &r[id];
        std::uint64_t found = (of->code == op::negative ? is::negative : 0) | (of->code == d.code ? is::same_op : 0);
        if (of->code == op::literal) value[k] = id, found |= is::literal;
        else if (of->code == op::broadcast_to) value[k] = uniform_value(r, id);
        if (value[k] != node_id::none) {
            if (value[k] != id) of = &r[value[k]];
            int const number = small_whole(*of);
            found |= number != not_small  ? known_facts.of_whole[number + 1] | is::uniform
                     : is_minus_zero(*of) ? is::minus_zero | is::uniform
                                          : is::uniform;
        }
        facts |= found << 16 * k;
    }
    TRACEXPR_ONCE constexpr void swap_operands() {
        node_id const first_id = d.operand[0], first_value = value[0];
        d.operand[0] = d.operand[1], d.operand[1] = first_id;
        value[0] = value[1], value[1] = first_value;
        std::uint64_t const low = facts & 0xffffu;
        facts = (facts & ~std::uint64_t{0xffffffffu}) | (facts >> 16 & 0xffffu) | low << 16;
    }
};

// `holds` says how close the value that a rule gives is to the value that the op had.
enum class holds : std::uint8_t {
    exactly,   // equal: NaN (whose sign and payload may change), infinities and signed zeros included
    rounded,   // equal but for the last bits: one rounding becomes several, or the other way round
    fast_math, // equal where rounding, NaN, infinities and the sign of zero don't matter; on with pass_options::fast_math
};

struct op_list {
    op at[15]{};
    std::size_t count = 0;
    constexpr op_list(std::initializer_list<op> codes) {
        for (op code : codes) at[count++] = code;
    }
    constexpr op const* begin() const { return at; }
    constexpr op const* end() const { return at + count; }
};
TRACEXPR_ONCE constexpr op_list ops_of(kind k) {
    op_list out({});
    for (op_info const& row : op_table)
        if (row.kind == k) out.at[out.count++] = row.code;
    return out;
}

// rule_row is a rule of simplify. The first of an op's rules that returns a node is applied; a rule may also change the site and
// return none.
struct rule_row {
    std::string_view name;
    op_list ops;
    holds when;
    std::uint64_t needs; // facts without which the rule isn't asked
    node_id (*answer)(site&);
};
constexpr rule_row exactly(std::string_view name, op_list ops, std::uint64_t needs, node_id (*answer)(site&)) {
    return {name, ops, holds::exactly, needs, answer};
}
constexpr rule_row rounded(std::string_view name, op_list ops, std::uint64_t needs, node_id (*answer)(site&)) {
    return {name, ops, holds::rounded, needs, answer};
}
constexpr rule_row fast(std::string_view name, op_list ops, std::uint64_t needs, node_id (*answer)(site&)) {
    return {name, ops, holds::fast_math, needs, answer};
}

constexpr node_id first_operand(site& s) { return s.result(0); }
constexpr node_id undone(site& s) { return s.result(s.inner(0), 0); }
constexpr node_id zero(site& s) { return s.result_whole(0); }
constexpr node_id one(site& s) { return s.result_whole(1); }

} // namespace tx::rules

TRACEXPR_END_PASSES
