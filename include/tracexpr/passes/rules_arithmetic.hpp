// This file holds the rules of simplify for + - * / pow and related ops. A rule's function returns the node that replaces the
// site's, or none if the rule does not apply.
#pragma once

#include <tracexpr/passes/rules_common.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

// Returns -x of a literal x.
TRACEXPR_ONCE constexpr node_id negated(rewriter& r, node_id literal) {
    node const n = r[literal];
    literal_bits const bits[]{{n.bits[0], n.bits[1]}};
    return r.literal(n.type, fold(op::negative, n.type, bits).bits);
}
// (x + c) + d -> x + (c + d) for literals c and d; the same for products.
inline constexpr std::uint64_t regroups = first(is::same_op) | second(is::uniform);
TRACEXPR_ONCE constexpr node_id regrouped(site& s) {
    node const grouped = s.r[s.a()];
    node_id const x = s.inner(0), c = uniform_value(s.r, grouped.operand[1]);
    if (c == node_id::none || !s.shapes(0) || !has_shape_of(s.r, grouped, x)) return node_id::none;
    literal_bits const both[]{{s.r[c].bits[0], s.r[c].bits[1]}, s.bits_of(1)};
    folded const out = fold(s.d.code, s.d.type, both);
    return out.known ? s.made(s.d.code, x, s.r.literal(s.d.type, out.bits)) : node_id::none;
}
constexpr node_id minus_second(site& s) { return s.shapes(1) ? s.made(op::negative, s.b()) : node_id::none; }

// Returns 1 / c if c is a power of two and neither c nor 1 / c is subnormal: then x / c and x * (1 / c) are the same number.
TRACEXPR_ONCE constexpr folded exact_reciprocal(dtype type, literal_bits c) {
    if (c.low << 12 != 0) return {};
    int const limit = type == dtype::float16 ? 14 : primal(type) == dtype::float64 ? 1022 : 126;
    int const exponent = exponent_of(c.low);
    if (exponent < -limit || exponent > limit) return {};
    return literal_bits{(c.low & sign_bit) | static_cast<std::uint64_t>(1023 - exponent) << 52, 0};
}
// Returns a product in place of the site's quotient. The factor is broadcast as the divisor was.
TRACEXPR_ONCE constexpr node_id multiplied_by(site& s, folded const& inverse) {
    if (!inverse.known) return node_id::none;
    node_id factor = s.r.literal(s.d.type, inverse.bits);
    if (s.value[1] != s.b()) {
        node broadcast = s.r[s.b()];
        broadcast.operand[0] = factor;
        factor = s.r.make(broadcast);
    }
    return s.made(op::multiply, s.a(), factor);
}
// x ** exponent -> code(x)
TRACEXPR_ONCE constexpr node_id power_as(site& s, double exponent, op code) {
    return real_of(s.bits_of(1)) == exponent && s.shapes(0) ? s.made(code, s.a()) : node_id::none;
}
// -(x - y) -> y - x
TRACEXPR_ONCE constexpr node_id turned_difference(site& s) {
    node const x = s.r[s.a()];
    return x.code == op::subtract ? s.made(op::subtract, x.operand[1], x.operand[0]) : node_id::none;
}
// Simplifies f(g(x)) to x, where g is the op `Inside` and f its inverse.
template <op Inside> constexpr node_id inverted(site& s) { return s.code_of(0) == Inside ? undone(s) : node_id::none; }
constexpr bool is_square(node const& x) { return x.code == op::multiply && x.operand[0] == x.operand[1]; }
constexpr node_id squared(site& s) { return s.made(op::multiply, s.a(), s.a()); }
TRACEXPR_ONCE constexpr node_id one_over(site& s) {
    return s.made(op::divide, s.r.literal(s.d.type, whole_literal(s.d.type, 1)), s.a());
}

inline constexpr rule_row arithmetic_rules[]{
    exactly("x + 0 = x (integers)", {op::add}, second(is::zero) | is::whole, first_operand),
    exactly("x + -0 = x", {op::add}, second(is::minus_zero), first_operand),
    fast("x + 0 = x", {op::add}, second(is::zero), first_operand),
    exactly("x + -y = x - y", {op::add}, second(is::negative), [](site& s) { return s.made(op::subtract, s.a(), s.inner(1)); }),
    exactly("-x + y = y - x", {op::add}, first(is::negative), [](site& s) { return s.made(op::subtract, s.b(), s.inner(0)); }),

    exactly("x - 0 = x", {op::subtract}, second(is::zero), first_operand),
    exactly("0 - x = -x (integers)", {op::subtract}, first(is::zero) | is::whole, minus_second),
    exactly("-0 - x = -x", {op::subtract}, first(is::minus_zero), minus_second),
    fast("0 - x = -x", {op::subtract}, first(is::zero), minus_second),
    exactly("x - x = 0 (integers)", {op::subtract}, is::doubled | is::whole, zero),
    fast("x - x = 0", {op::subtract}, is::doubled, zero),
    exactly("x - -y = x + y", {op::subtract}, second(is::negative), [](site& s) { return s.made(op::add, s.a(), s.inner(1)); }),
    exactly("x - c = x + -c (integers)", {op::subtract}, second(is::literal) | is::whole,
            [](site& s) { return s.made(op::add, s.a(), negated(s.r, s.b())); }),

    exactly("x * 1 = x", {op::multiply}, second(is::one) | is::real, first_operand),
    exactly("x * 0 = 0 (integers)", {op::multiply}, second(is::zero) | is::whole, zero),
    fast("x * 0 = 0", {op::multiply}, second(is::zero) | is::real, zero),
    exactly("x * -1 = -x", {op::multiply}, second(is::minus_one) | is::real | is::number,
            [](site& s) { return s.shapes(0) ? s.made(op::negative, s.a()) : node_id::none; }),
    exactly("-x * c = x * -c", {op::multiply}, first(is::negative) | second(is::literal) | is::real | is::number,
            [](site& s) { return s.made(op::multiply, s.inner(0), negated(s.r, s.b())); }),
    exactly("-x * -y = x * y", {op::multiply}, first(is::negative) | second(is::negative) | is::real,
            [](site& s) { return s.made(op::multiply, s.inner(0), s.inner(1)); }),
    exactly("x + c + d = x + (c + d) (integers)", {op::add, op::multiply}, regroups | is::whole, regrouped),
    fast("x + c + d = x + (c + d)", {op::add, op::multiply}, regroups, regrouped),

    exactly("x / 2^n = x * 2^-n", {op::divide}, second(is::uniform) | is::real,
            [](site& s) { return multiplied_by(s, exact_reciprocal(s.d.type, s.bits_of(1))); }),
    fast("x / c = x * (1 / c)", {op::divide}, second(is::uniform) | is::real,
         [](site& s) {
             literal_bits const quotient[]{whole_literal(s.d.type, 1), s.bits_of(1)};
             return multiplied_by(s, fold(op::divide, s.d.type, quotient));
         }),
    exactly("-x / c = x / -c", {op::divide}, first(is::negative) | second(is::literal) | is::real,
            [](site& s) { return s.made(op::divide, s.inner(0), negated(s.r, s.b())); }),
    exactly("-x / -y = x / y", {op::divide}, first(is::negative) | second(is::negative) | is::real,
            [](site& s) { return s.made(op::divide, s.inner(0), s.inner(1)); }),
    fast("x / x = 1", {op::divide}, is::doubled | is::real, one),
    fast("1 / sqrt(x) = rsqrt(x)", {op::divide}, first(is::one) | is::real,
         [](site& s) { return s.code_of(1) == op::sqrt && s.shapes(1) ? s.made(op::rsqrt, s.inner(1)) : node_id::none; }),
    exactly("reciprocal(x) = 1 / x", {op::reciprocal}, is::real, one_over),
    exactly("x // 1 = x (integers)", {op::floor_divide}, second(is::one) | is::whole | is::number, first_operand),
    exactly("x % 1 = 0 (integers)", {op::remainder, op::fmod}, second(is::one) | is::whole | is::number, zero),

    rounded("x ** 2 = x * x", {op::power}, second(is::two), [](site& s) { return s.shapes(0) ? squared(s) : node_id::none; }),
    exactly("1 ** x = 1", {op::power}, first(is::one) | is::inexact | is::real, one),
    rounded("2 ** x = exp2(x)", {op::power}, first(is::two) | is::inexact | is::real,
            [](site& s) { return s.shapes(1) ? s.made(op::exp2, s.b()) : node_id::none; }),
    exactly("x ** 0 = 1", {op::power}, second(is::zero), one),
    exactly("x ** -0 = 1", {op::power}, second(is::minus_zero), one),
    exactly("x ** 1 = x", {op::power}, second(is::one), first_operand),
    rounded("x ** 3 = x * x * x", {op::power}, second(is::three),
            [](site& s) { return s.shapes(0) ? s.made(op::multiply, squared(s), s.a()) : node_id::none; }),
    rounded("x ** 4 = (x * x) * (x * x)", {op::power}, second(is::four),
            [](site& s) {
                node_id const square = s.shapes(0) ? squared(s) : node_id::none;
                return square == node_id::none ? square : s.made(op::multiply, square, square);
            }),
    rounded("x ** -1 = 1 / x", {op::power}, second(is::minus_one) | is::inexact | is::real,
            [](site& s) { return s.shapes(0) ? one_over(s) : node_id::none; }),
    fast("x ** 0.5 = sqrt(x)", {op::power}, second(is::uniform) | is::inexact | is::real,
         [](site& s) { return power_as(s, 0.5, op::sqrt); }),
    fast("x ** -0.5 = rsqrt(x)", {op::power}, second(is::uniform) | is::inexact | is::real,
         [](site& s) { return power_as(s, -0.5, op::rsqrt); }),
    exactly("square(x) = x * x", {op::square}, 0, squared),

    exactly("f(f(x)) = x", {op::negative, op::logical_not, op::bitwise_not, op::conj}, first(is::same_op), undone),
    exactly("-(x - y) = y - x (integers)", {op::negative}, is::whole, turned_difference),
    fast("-(x - y) = y - x", {op::negative}, 0, turned_difference),
    exactly("-(x * c) = x * -c", {op::negative}, is::real,
            [](site& s) {
                node const x = s.r[s.a()];
                if (x.code != op::multiply || s.r.code(x.operand[1]) != op::literal) return node_id::none;
                return s.made(op::multiply, x.operand[0], negated(s.r, x.operand[1]));
            }),
    exactly("abs(x) = x (unsigned)", {op::absolute}, is::whole,
            [](site& s) { return is_unsigned_integer(s.d.type) ? s.result(0) : node_id::none; }),
    exactly("abs(abs(x)) = abs(x)", {op::absolute}, first(is::same_op), first_operand),
    exactly("abs(-x) = abs(x)", {op::absolute}, first(is::negative) | is::real,
            [](site& s) { return s.made(op::absolute, s.inner(0)); }),
    exactly("abs(x * x) = x * x", {op::absolute}, is::inexact | is::real,
            [](site& s) { return is_square(s.r[s.a()]) ? s.result(0) : node_id::none; }),
    fast("exp(log(x)) = x", {op::exp}, is::real, inverted<op::log>),
    fast("log(exp(x)) = x", {op::log}, is::real, inverted<op::exp>),
    fast("sqrt(x * x) = abs(x)", {op::sqrt}, is::real,
         [](site& s) {
             node const x = s.r[s.a()];
             return is_square(x) ? s.made(op::absolute, x.operand[0]) : node_id::none;
         }),
    exactly("max(x, x) = x", {op::maximum, op::minimum}, is::doubled, first_operand),
    exactly("fma(x, 1, y) = x + y", {op::fma}, second(is::one) | is::real,
            [](site& s) {
                bool const fits = broadcasts_into(s.r.shape_of(s.b()), s.given());
                return fits ? s.made(op::add, s.a(), s.d.operand[2]) : node_id::none;
            }),
};

} // namespace tx::rules

TRACEXPR_END_PASSES
