// Identities of comparisons, logic, bits, choices, casts and rounding; for every value of the dtype.
#pragma once

#include <tracexpr/passes/rules_common.hpp>

namespace tx::rules {

// The comparison with its operands exchanged.
constexpr op mirrored(op code) {
    switch (code) {
    case op::less: return op::greater;
    case op::less_equal: return op::greater_equal;
    case op::greater: return op::less;
    case op::greater_equal: return op::less_equal;
    default: return code;
    }
}
// The comparison that holds where this one does not; of numbers without NaN.
constexpr op complement(op code) {
    switch (code) {
    case op::less: return op::greater_equal;
    case op::less_equal: return op::greater;
    case op::greater: return op::less_equal;
    case op::greater_equal: return op::less;
    case op::equal: return op::not_equal;
    default: return op::equal;
    }
}

constexpr node_id comparison_rule(pointwise_site& s) {
    if (s.out_of_order()) s.swap_operands(), s.d.code = mirrored(s.d.code);
    bool const same = s.a() == s.b(), exact = !is_inexact(s.operand_type());
    op const code = s.d.code;
    if (same && (code == op::less || code == op::greater)) return s.result_whole(0);
    if (same && exact) return s.result_whole(code == op::not_equal ? 0 : 1);
    if (s.operand_type() == dtype::boolean && s.has_value(1) && (code == op::equal || code == op::not_equal)) {
        if (s.whole(1) == (code == op::equal ? 1 : 0)) return s.result(0);
        if (s.shapes(0)) return s.made(op::logical_not, s.a());
    }
    bool const is_truth = code == op::not_equal && s.code_of(0) == op::cast && s.r[s.inner(0)].type == dtype::boolean;
    return is_truth && s.whole(1) == 0 ? s.result(s.inner(0), 0) : node_id::none;
}

constexpr node_id not_rule(pointwise_site& s) {
    node const x = s.r[s.a()];
    switch (x.code) {
    case op::logical_not: return s.result(x.operand[0], 0);
    case op::equal:
    case op::not_equal: return s.made(complement(x.code), x.operand[0], x.operand[1]);
    case op::less:
    case op::less_equal:
    case op::greater:
    case op::greater_equal:
        if (is_inexact(s.r[x.operand[0]].type)) return node_id::none;
        return s.made(complement(x.code), x.operand[0], x.operand[1]);
    default: return node_id::none;
    }
}

// and, or, xor, of truth values and of bits: `ones` is the value with all bits set.
constexpr node_id bits_rule(pointwise_site& s) {
    if (s.out_of_order()) s.swap_operands();
    op const code = s.d.code;
    bool const is_and = code == op::logical_and || code == op::bitwise_and,
               is_xor = code == op::logical_xor || code == op::bitwise_xor;
    if (s.a() == s.b()) return is_xor ? s.result_whole(0) : s.result(0);
    if (!s.has_value(1)) return node_id::none;
    bool const zero = s.bits_of(1).low == 0, ones = s.bits_of(1).low == wrapped_literal(s.d.type, ~std::uint64_t{0}).low;
    if (is_and ? ones : zero) return s.result(0);
    if (!is_xor && (zero || ones)) return s.result(s.bits_of(1));
    if (is_xor && ones && s.shapes(0)) return s.made(s.d.type == dtype::boolean ? op::logical_not : op::bitwise_not, s.a());
    return node_id::none;
}

constexpr node_id where_rule(pointwise_site& s) {
    if (s.has_value(0)) return s.result(s.bits_of(0).low ? 1u : 2u);
    node_id const yes = s.d.operand[1], no = s.d.operand[2];
    if (yes == no) return s.result(1);
    if (s.code_of(0) == op::logical_not) {
        node d = s.d;
        d.operand[0] = s.inner(0), d.operand[1] = no, d.operand[2] = yes;
        return s.r.make(d);
    }
    if (s.d.type == dtype::boolean && s.has_value(1) && s.has_value(2) && s.shapes(0)) {
        if (s.whole(1) == 1) return s.result(0);
        return s.made(op::logical_not, s.a());
    }
    return node_id::none;
}

// Whether every value of `from` is a value of `to`.
constexpr bool keeps_values(dtype from, dtype to) {
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

constexpr node_id cast_rule(pointwise_site& s) {
    dtype const middle = s.operand_type(), to = s.d.type;
    if (middle == to) return s.result(0);
    if (s.code_of(0) != op::cast) return node_id::none;
    node_id const x = s.inner(0);
    dtype const from = s.r[x].type;
    // Integers cut to fewer bits twice are cut once. Through a floating dtype they saturate, so it must not be seen.
    bool const cut = is_integer(from) && is_integer(middle) && is_integer(to) && size_in_bytes(to) <= size_in_bytes(middle);
    bool const seen = is_integer(from) && is_inexact(middle) && is_integer(to) && !keeps_values(from, to);
    if (!cut && (seen || !keeps_values(from, middle))) return node_id::none;
    return from == to ? s.result(x, 0) : s.made(op::cast, x);
}

constexpr bool is_rounding(op code) { return code == op::floor || code == op::ceil || code == op::round || code == op::trunc; }

constexpr node_id rounding_rule(pointwise_site& s) {
    return !is_inexact(s.d.type) || is_rounding(s.code_of(0)) ? s.result(0) : node_id::none;
}
constexpr node_id test_rule(pointwise_site& s) {
    return is_inexact(s.operand_type()) ? node_id::none : s.result_whole(s.d.code == op::isfinite ? 1 : 0);
}
// Ops that undo themselves.
constexpr node_id involution_rule(pointwise_site& s) {
    return s.code_of(0) == s.d.code ? s.result(s.inner(0), 0) : node_id::none;
}

constexpr node_id shift_rule(pointwise_site& s) { return s.whole(1) == 0 ? s.result(0) : node_id::none; }

} // namespace tx::rules
