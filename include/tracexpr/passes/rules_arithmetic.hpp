// Identities of + - * / pow and their kin. They hold for every value of the dtype: NaN (whose sign and payload may change),
// infinities and signed zeros included. More only under options.fast_math.
#pragma once

#include <tracexpr/passes/rules_common.hpp>

namespace tx::rules {

// -x of a literal.
constexpr node_id negated(rewriter& r, node_id literal) {
    node const n = r[literal];
    literal_bits const bits[]{{n.bits[0], n.bits[1]}};
    return r.literal(n.type, fold(op::negative, n.type, bits).bits);
}
// Integers: (x op c) op d is x op (c op d), because both wrap.
constexpr node_id regroup(pointwise_site& s) {
    if (!s.has_value(1) || s.code_of(0) != s.d.code) return node_id::none;
    if (is_inexact(s.d.type) && !s.fast()) return node_id::none;
    node const grouped = s.r[s.a()];
    node_id const x = s.inner(0), c = uniform_value(s.r, grouped.operand[1]);
    if (c == node_id::none || !s.shapes(0) || !has_shape_of(s.r, grouped, x)) return node_id::none;
    node const first = s.r[c], second = s.r[s.value[1]];
    literal_bits const both[]{{first.bits[0], first.bits[1]}, {second.bits[0], second.bits[1]}};
    folded const out = fold(s.d.code, s.d.type, both);
    return out.known ? s.made(s.d.code, x, s.r.literal(s.d.type, out.bits)) : node_id::none;
}

constexpr node_id add_rule(pointwise_site& s) {
    if (s.out_of_order()) s.swap_operands();
    if (s.has_value(1)) {
        node const& c = s.r[s.value[1]];
        if (is_inexact(c.type) && !s.fast() ? is_minus_zero(c) : small_whole(c) == 0 || is_minus_zero(c)) return s.result(0);
    }
    if (s.code_of(1) == op::negative) return s.made(op::subtract, s.a(), s.inner(1));
    if (s.code_of(0) == op::negative) return s.made(op::subtract, s.b(), s.inner(0));
    return regroup(s);
}

constexpr node_id subtract_rule(pointwise_site& s) {
    bool const exact = !is_inexact(s.d.type);
    if (s.whole(1) == 0) return s.result(0);
    if (s.has_value(0) && (exact || s.fast() ? s.whole(0) == 0 : is_minus_zero(s.r[s.value[0]])) && s.shapes(1))
        return s.made(op::negative, s.b());
    if (s.a() == s.b() && (exact || s.fast())) return s.result_whole(0);
    if (s.code_of(1) == op::negative) return s.made(op::add, s.a(), s.inner(1));
    if (exact && s.has_value(1) && s.value[1] == s.b()) return s.made(op::add, s.a(), negated(s.r, s.b()));
    return node_id::none;
}

constexpr node_id multiply_rule(pointwise_site& s) {
    if (s.out_of_order()) s.swap_operands();
    bool const real = !is_complex(s.d.type), numeric = s.d.type != dtype::boolean;
    if (s.has_value(1) && real) {
        int const c = s.whole(1);
        if (c == 1) return s.result(0);
        if (c == 0 && (!is_inexact(s.d.type) || s.fast())) return s.result_whole(0);
        if (c == -1 && numeric && s.shapes(0)) return s.made(op::negative, s.a());
        if (numeric && s.code_of(0) == op::negative && s.value[1] == s.b())
            return s.made(op::multiply, s.inner(0), negated(s.r, s.b()));
    }
    if (real && s.code_of(0) == op::negative && s.code_of(1) == op::negative) return s.made(op::multiply, s.inner(0), s.inner(1));
    return regroup(s);
}

// 1 / c where c is a power of two and neither c nor 1 / c is subnormal: then x / c and x * (1 / c) are the same number.
constexpr folded exact_reciprocal(dtype type, literal_bits c) {
    if (c.low << 12 != 0) return {};
    int const limit = type == dtype::float16 ? 14 : primal(type) == dtype::float64 ? 1022 : 126;
    int const exponent = exponent_of(c.low);
    if (exponent < -limit || exponent > limit) return {};
    return literal_bits{(c.low & sign_bit) | static_cast<std::uint64_t>(1023 - exponent) << 52, 0};
}

constexpr node_id divide_rule(pointwise_site& s) {
    if (is_complex(s.d.type)) return node_id::none;
    if (s.has_value(1)) {
        folded inverse = exact_reciprocal(s.d.type, s.bits_of(1));
        literal_bits const quotient[]{whole_literal(s.d.type, 1), s.bits_of(1)};
        if (!inverse.known && s.fast()) inverse = fold(op::divide, s.d.type, quotient);
        if (inverse.known) {
            node_id factor = s.r.literal(s.d.type, inverse.bits);
            if (s.value[1] != s.b()) {
                node broadcast = s.r[s.b()];
                broadcast.operand[0] = factor;
                factor = s.r.make(broadcast);
            }
            return s.made(op::multiply, s.a(), factor);
        }
        if (s.code_of(0) == op::negative && s.value[1] == s.b()) return s.made(op::divide, s.inner(0), negated(s.r, s.b()));
    }
    if (s.code_of(0) == op::negative && s.code_of(1) == op::negative) return s.made(op::divide, s.inner(0), s.inner(1));
    if (s.fast() && s.a() == s.b()) return s.result_whole(1);
    if (s.fast() && s.code_of(1) == op::sqrt && s.whole(0) == 1 && s.shapes(1)) return s.made(op::rsqrt, s.inner(1));
    return node_id::none;
}

// Small whole exponents become products: at most two roundings more than a power has. A literal base of 2 becomes exp2.
constexpr node_id power_rule(pointwise_site& s) {
    if (s.has_value(0) && is_floating(s.d.type)) {
        if (s.whole(0) == 1) return s.result_whole(1);
        if (s.whole(0) == 2 && s.shapes(1)) return s.made(op::exp2, s.b());
    }
    if (!s.has_value(1)) return node_id::none;
    int const c = s.whole(1);
    if (c == 0 || (is_inexact(s.d.type) && is_minus_zero(s.r[s.value[1]]))) return s.result_whole(1);
    if (c == 1) return s.result(0);
    if (!s.shapes(0)) return node_id::none;
    if (c == 2) return s.made(op::multiply, s.a(), s.a());
    if (c == 3) return s.made(op::multiply, s.made(op::multiply, s.a(), s.a()), s.a());
    if (c == 4) {
        node_id const square = s.made(op::multiply, s.a(), s.a());
        return s.made(op::multiply, square, square);
    }
    if (!is_floating(s.d.type)) return node_id::none;
    if (c == -1) return s.made(op::divide, s.r.literal(s.d.type, whole_literal(s.d.type, 1)), s.a());
    double const exponent = real_of(s.bits_of(1));
    if (s.fast() && exponent == 0.5) return s.made(op::sqrt, s.a());
    if (s.fast() && exponent == -0.5) return s.made(op::rsqrt, s.a());
    return node_id::none;
}

// Whole-number division.
constexpr node_id division_rule(pointwise_site& s) {
    if (!is_integer(s.d.type) || s.whole(1) != 1) return node_id::none;
    return s.d.code == op::floor_divide ? s.result(0) : s.result_whole(0);
}

constexpr node_id negative_rule(pointwise_site& s) {
    if (s.code_of(0) == op::negative) return s.result(s.inner(0), 0);
    node const x = s.r[s.a()];
    if (x.code == op::subtract && (!is_inexact(x.type) || s.fast())) return s.made(op::subtract, x.operand[1], x.operand[0]);
    if (x.code == op::multiply && !is_complex(x.type) && s.r.code(x.operand[1]) == op::literal)
        return s.made(op::multiply, x.operand[0], negated(s.r, x.operand[1]));
    return node_id::none;
}

constexpr node_id absolute_rule(pointwise_site& s) {
    if (is_unsigned_integer(s.d.type) || s.code_of(0) == op::absolute) return s.result(0);
    if (s.code_of(0) == op::negative && !is_complex(s.operand_type())) return s.made(op::absolute, s.inner(0));
    node const& x = s.r[s.a()];
    if (x.code == op::multiply && is_floating(x.type) && x.operand[0] == x.operand[1]) return s.result(0);
    return node_id::none;
}

// Functions and their inverses.
constexpr node_id inverse_rule(pointwise_site& s) {
    if (!s.fast() || is_complex(s.d.type)) return node_id::none;
    op const inside = s.code_of(0);
    if ((s.d.code == op::exp && inside == op::log) || (s.d.code == op::log && inside == op::exp)) return s.result(s.inner(0), 0);
    node const x = s.r[s.a()];
    if (s.d.code == op::sqrt && x.code == op::multiply && x.operand[0] == x.operand[1]) return s.made(op::absolute, x.operand[0]);
    return node_id::none;
}

// The larger (smaller) of x and x.
constexpr node_id extremum_rule(pointwise_site& s) { return s.a() == s.b() ? s.result(0) : node_id::none; }

constexpr node_id fma_rule(pointwise_site& s) {
    if (s.out_of_order()) s.swap_operands();
    if (s.whole(1) == 1 && !is_complex(s.d.type) && broadcasts_into(s.r.shape_of(s.b()), s.r.shape_of(s.a())))
        return s.made(op::add, s.a(), s.d.operand[2]);
    return node_id::none;
}

} // namespace tx::rules
