// This file holds the rules of simplify for comparisons, logic, bits, where, casts and rounding.
#pragma once

#include <tracexpr/passes/rules_common.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

// Returns the comparison that is equal with its operands exchanged.
TRACEXPR_ONCE constexpr op mirrored(op code) {
    switch (code) {
    case op::less: return op::greater;
    case op::less_equal: return op::greater_equal;
    case op::greater: return op::less;
    case op::greater_equal: return op::less_equal;
    default: return code;
    }
}
// Returns the comparison that holds if and only if this one does not, for numbers without NaN.
TRACEXPR_ONCE constexpr op complement(op code) {
    switch (code) {
    case op::less: return op::greater_equal;
    case op::less_equal: return op::greater;
    case op::greater: return op::less_equal;
    case op::greater_equal: return op::less;
    case op::equal: return op::not_equal;
    default: return op::equal;
    }
}

TRACEXPR_ONCE constexpr node_id negated_comparison(site& s) {
    node const x = s.r[s.a()];
    bool const equality = x.code == op::equal || x.code == op::not_equal;
    if (!equality && (mirrored(x.code) == x.code || is_inexact(s.r[x.operand[0]].type))) return node_id::none;
    return s.made(complement(x.code), x.operand[0], x.operand[1]);
}
// Returns x, or its negation, for an op on a boolean x that amounts to one of them (x == true, where(x, false, true)).
TRACEXPR_ONCE constexpr node_id itself_or_not(site& s, bool itself) {
    if (itself) return s.result(0);
    return s.shapes(0) ? s.made(op::logical_not, s.a()) : node_id::none;
}

TRACEXPR_ONCE constexpr bool all_bits_set(site const& s, std::uint32_t k) {
    return s.bits_of(k).low == wrapped_literal(s.d.type, ~std::uint64_t{0}).low;
}
constexpr node_id first_and_ones(site& s) { return all_bits_set(s, 1) ? s.result(0) : node_id::none; }
constexpr node_id ones(site& s) { return all_bits_set(s, 1) ? s.result(s.bits_of(1)) : node_id::none; }

TRACEXPR_ONCE constexpr node_id exchanged_choice(site& s) {
    if (s.code_of(0) != op::logical_not) return node_id::none;
    node d = s.d;
    d.operand[0] = s.inner(0), d.operand[1] = s.d.operand[2], d.operand[2] = s.d.operand[1];
    return s.r.make(d);
}

// Is every value of `from` a value of `to`?
TRACEXPR_ONCE constexpr bool keeps_values(dtype from, dtype to) {
    if (from == to || from == dtype::boolean) return true;
    if (to == dtype::boolean) return false;
    if (dual_depth(from) > dual_depth(to)) return false;
    from = primal(from), to = primal(to);
    if (is_complex(from)) return to == dtype::complex128;
    if (is_complex(to)) return keeps_values(from, real_part(to));
    if (is_floating(from)) return to == dtype::float64 || (to == dtype::float32 && from != dtype::float64);
    std::size_t const bits = 8 * size_in_bytes(from) - (is_signed_integer(from) ? 1 : 0);
    if (is_floating(to)) return bits <= exact_bits(to);
    std::size_t const room = 8 * size_in_bytes(to) - (is_signed_integer(to) ? 1 : 0);
    return bits <= room && (is_signed_integer(to) || !is_signed_integer(from));
}

TRACEXPR_ONCE constexpr node_id direct_cast(site& s) {
    dtype const middle = s.operand_type(), to = s.d.type;
    node_id const x = s.inner(0);
    dtype const from = s.r[x].type;
    // Integers that are cut to fewer bits twice are cut once. Casts to integers through a floating-point dtype saturate, so they
    // stay if that could make a difference.
    bool const cut = is_integer(from) && is_integer(middle) && is_integer(to) && size_in_bytes(to) <= size_in_bytes(middle);
    bool const seen = is_integer(from) && is_inexact(middle) && is_integer(to) && !keeps_values(from, to);
    if (!cut && (seen || !keeps_values(from, middle))) return node_id::none;
    return from == to ? s.result(x, 0) : s.made(op::cast, x);
}

constexpr bool is_rounding(op code) { return code == op::floor || code == op::ceil || code == op::round || code == op::trunc; }

inline constexpr rule_row logic_rules[]{
    exactly("x < x is false", {op::less, op::greater}, is::doubled, zero),
    exactly("x == x is true (integers)", {op::equal, op::less_equal, op::greater_equal}, is::doubled | is::whole, one),
    exactly("x != x is false (integers)", {op::not_equal}, is::doubled | is::whole, zero),
    exactly("x == true is x", {op::equal, op::not_equal}, second(is::uniform) | is::boolean,
            [](site& s) { return itself_or_not(s, (s.d.code == op::equal) == (s.bits_of(1).low == 1)); }),
    exactly("number(b) != 0 is b", {op::not_equal}, second(is::zero),
            [](site& s) {
                bool const is_truth = s.code_of(0) == op::cast && s.r[s.inner(0)].type == dtype::boolean;
                return is_truth ? s.result(s.inner(0), 0) : node_id::none;
            }),
    exactly("not x < y is x >= y", {op::logical_not}, 0, negated_comparison),

    exactly("x and x = x", {op::logical_and, op::logical_or, op::bitwise_and, op::bitwise_or}, is::doubled, first_operand),
    exactly("x xor x = 0", {op::logical_xor, op::bitwise_xor}, is::doubled, zero),
    exactly("x and ones = x", {op::logical_and, op::bitwise_and}, second(is::uniform), first_and_ones),
    exactly("x or 0 = x", {op::logical_or, op::logical_xor, op::bitwise_or, op::bitwise_xor}, second(is::zero), first_operand),
    exactly("x and 0 = 0", {op::logical_and, op::bitwise_and}, second(is::zero), zero),
    exactly("x or ones = ones", {op::logical_or, op::bitwise_or}, second(is::uniform), ones),
    exactly("x xor ones = not x", {op::logical_xor, op::bitwise_xor}, second(is::uniform),
            [](site& s) {
                op const code = s.d.type == dtype::boolean ? op::logical_not : op::bitwise_not;
                return all_bits_set(s, 1) && s.shapes(0) ? s.made(code, s.a()) : node_id::none;
            }),
    exactly("x << 0 = x", {op::left_shift, op::right_shift}, second(is::zero), first_operand),

    exactly("where(c, x, y), known c", {op::where}, first(is::uniform),
            [](site& s) { return s.result(s.bits_of(0).low ? 1u : 2u); }),
    exactly("where(c, x, x) = x", {op::where}, 0,
            [](site& s) { return s.d.operand[1] == s.d.operand[2] ? s.result(1) : node_id::none; }),
    exactly("where(not c, x, y) = where(c, y, x)", {op::where}, 0, exchanged_choice),
    exactly("where(c, true, false) = c", {op::where}, second(is::uniform) | third(is::uniform) | is::boolean,
            [](site& s) {
                bool const yes = s.bits_of(1).low == 1, differ = s.bits_of(2).low != s.bits_of(1).low;
                return differ && s.shapes(0) ? itself_or_not(s, yes) : node_id::none;
            }),

    exactly("cast to its own dtype", {op::cast}, 0,
            [](site& s) { return s.operand_type() == s.d.type ? s.result(0) : node_id::none; }),
    exactly("cast of a cast", {op::cast}, first(is::same_op), direct_cast),
    exactly("floor(x) = x (integers)", {op::floor, op::ceil, op::round, op::trunc}, is::whole, first_operand),
    exactly("floor(round(x)) = round(x)", {op::floor, op::ceil, op::round, op::trunc}, 0,
            [](site& s) { return is_rounding(s.code_of(0)) ? s.result(0) : node_id::none; }),
    exactly("isnan(x) is false (integers)", {op::isnan, op::isinf}, is::whole, zero),
    exactly("isfinite(x) is true (integers)", {op::isfinite}, is::whole, one),
};

} // namespace tx::rules

TRACEXPR_END_PASSES
