// Records operators of ONNX that act element by element, and those that change dtypes.
#pragma once

#include <tracexpr/onnx/tracing.hpp>

namespace tx::onnx::detail {

template <op Code> void record_unary(op_call& c) { c.give(c.append(Code, c[0])); }
template <op Code> void record_binary(op_call& c) { c.give(c.append(Code, c[0], c[1])); }
// Combines any number of operands, two at a time.
template <op Code> void record_variadic(op_call& c) {
    node_id out = c[0];
    for (std::size_t k = 1; k < c.operands(); ++k) out = c.append(Code, out, c[k]);
    c.give(out);
}
inline void record_identity(op_call& c) { c.give(0, c.value(0)); }

// Integers are divided towards zero.
inline node_id truncated_quotient(op_call const& c, node_id a, node_id b) {
    if (is_inexact(c.type(a))) return c.append(op::divide, a, b);
    node_id const q = c.append(op::floor_divide, a, b);
    if (!is_signed_integer(c.type(a))) return q;
    node_id const zero = c.low().zero_like(a), rest = c.append(op::subtract, a, c.append(op::multiply, q, b));
    node_id const differ = c.append(op::logical_xor, c.append(op::less, a, zero), c.append(op::less, b, zero));
    node_id const up = c.append(op::logical_and, differ, c.append(op::not_equal, rest, zero));
    return c.append(op::add, q, c.as(up, c.type(a)));
}
inline void record_div(op_call& c) { c.give(truncated_quotient(c, c[0], c[1])); }
inline void record_mod(op_call& c) { c.give(c.append(c.integer("fmod", 0) ? op::fmod : op::remainder, c[0], c[1])); }
// The result has the base's dtype, whatever the exponent's is.
inline void record_pow(op_call& c) {
    node_id const x = c[0], y = c[1];
    dtype const common = is_inexact(c.type(x)) ? c.type(x) : is_inexact(c.type(y)) ? promote(c.type(x), c.type(y)) : c.type(x);
    c.give(c.as(c.append(op::power, c.as(x, common), c.as(y, common)), c.type(x)));
}
inline void record_mean(op_call& c) {
    record_variadic<op::add>(c);
    node_id const sum = c.given()[0].id;
    c.give(c.append(op::divide, sum, c.number_like(sum, static_cast<double>(c.operands()))));
}
inline void record_bit_shift(op_call& c) {
    c.give(c.append(c.text("direction", "") == "LEFT" ? op::left_shift : op::right_shift, c[0], c[1]));
}
inline void record_is_inf(op_call& c) {
    node_id const x = c[0], zero = c.low().zero_like(x);
    node_id out = c.append(op::isinf, x);
    if (!c.integer("detect_negative", 1)) out = c.append(op::logical_and, out, c.append(op::greater, x, zero));
    if (!c.integer("detect_positive", 1)) out = c.append(op::logical_and, out, c.append(op::less, x, zero));
    c.give(out);
}
inline void record_clip(op_call& c) {
    node_id out = c[0];
    if (c.version() < 11) { // bounds were attributes
        if (c.has_attribute("min")) out = c.append(op::maximum, out, c.number_like(out, c.number("min", 0)));
        if (c.has_attribute("max")) out = c.append(op::minimum, out, c.number_like(out, c.number("max", 0)));
    }
    if (c.has(1)) out = c.append(op::maximum, out, c[1]);
    if (c.has(2)) out = c.append(op::minimum, out, c[2]);
    c.give(out);
}
inline void record_where(op_call& c) { c.give(c.choose(c[0], c[1], c[2])); }

// Returns `yes` where x is positive, else `no`.
inline node_id where_positive(op_call const& c, node_id x, node_id yes, node_id no) {
    return c.choose(c.append(op::greater, x, c.low().zero_like(x)), yes, no);
}
inline node_id times(op_call const& c, node_id x, double number) { return c.append(op::multiply, x, c.number_like(x, number)); }
inline node_id plus(op_call const& c, node_id x, double number) { return c.append(op::add, x, c.number_like(x, number)); }
inline void record_relu(op_call& c) { c.give(c.append(op::maximum, c[0], c.low().zero_like(c[0]))); }
inline void record_leaky_relu(op_call& c) {
    node_id const x = c[0];
    c.give(c.choose(c.append(op::less, x, c.low().zero_like(x)), times(c, x, c.number("alpha", 0.01)), x));
}
inline void record_prelu(op_call& c) {
    node_id const x = c[0];
    c.give(c.choose(c.append(op::less, x, c.low().zero_like(x)), c.append(op::multiply, x, c[1]), x));
}
// Computes expm1(min(x, 0)), so that the branch that isn't chosen is finite.
inline node_id expm1_below(op_call const& c, node_id x) {
    return c.append(op::expm1, c.append(op::minimum, x, c.low().zero_like(x)));
}
inline void record_elu(op_call& c) {
    node_id const x = c[0];
    c.give(where_positive(c, x, x, times(c, expm1_below(c, x), c.number("alpha", 1))));
}
inline void record_selu(op_call& c) {
    node_id const x = c[0];
    double const alpha = c.number("alpha", 1.67326319217681884765625), gamma = c.number("gamma", 1.05070102214813232421875);
    c.give(where_positive(c, x, times(c, x, gamma), times(c, expm1_below(c, x), alpha * gamma)));
}
inline void record_celu(op_call& c) {
    node_id const x = c[0];
    double const alpha = c.number("alpha", 1);
    c.give(where_positive(c, x, x, times(c, expm1_below(c, times(c, x, 1 / alpha)), alpha)));
}
inline node_id softplus(op_call const& c, node_id x) { return c.append(op::logaddexp, x, c.low().zero_like(x)); }
inline void record_softplus(op_call& c) { c.give(softplus(c, c[0])); }
inline void record_softsign(op_call& c) { c.give(c.append(op::divide, c[0], plus(c, c.append(op::absolute, c[0]), 1))); }
inline void record_mish(op_call& c) { c.give(c.append(op::multiply, c[0], c.append(op::tanh, softplus(c, c[0])))); }
inline node_id hard_sigmoid(op_call const& c, node_id x, double alpha, double beta) {
    node_id const line = plus(c, times(c, x, alpha), beta);
    return c.append(op::maximum, c.append(op::minimum, line, c.number_like(x, 1)), c.number_like(x, 0));
}
inline void record_hard_sigmoid(op_call& c) { c.give(hard_sigmoid(c, c[0], c.number("alpha", 0.2), c.number("beta", 0.5))); }
inline void record_hard_swish(op_call& c) { c.give(c.append(op::multiply, c[0], hard_sigmoid(c, c[0], 1.0 / 6, 0.5))); }
inline void record_swish(op_call& c) {
    c.give(c.append(op::multiply, c[0], c.append(op::sigmoid, times(c, c[0], c.number("alpha", 1)))));
}
inline void record_thresholded_relu(op_call& c) {
    node_id const x = c[0];
    c.give(c.choose(c.append(op::greater, x, c.number_like(x, c.number("alpha", 1))), x, c.low().zero_like(x)));
}
inline void record_shrink(op_call& c) {
    node_id const x = c[0];
    double const lambda = c.number("lambd", 0.5), bias = c.number("bias", 0);
    node_id const below = c.append(op::less, x, c.number_like(x, -lambda)),
                  above = c.append(op::greater, x, c.number_like(x, lambda));
    c.give(c.choose(below, plus(c, x, bias), c.choose(above, plus(c, x, -bias), c.low().zero_like(x))));
}
// The formula is that of D. Hendrycks, K. Gimpel, Gaussian Error Linear Units (2016).
inline void record_gelu(op_call& c) {
    node_id const x = c[0];
    node_id share;
    if (c.text("approximate", "none") == "tanh") {
        constexpr double root_of_2_by_pi = 0.7978845608028654, cubic = 0.044715;
        node_id const cube = c.append(op::multiply, c.append(op::multiply, x, x), x);
        share = c.append(op::tanh, times(c, c.append(op::add, x, times(c, cube, cubic)), root_of_2_by_pi));
    } else {
        constexpr double one_by_root_of_2 = 0.7071067811865476;
        share = c.append(op::erf, times(c, x, one_by_root_of_2));
    }
    c.give(c.append(op::multiply, times(c, x, 0.5), plus(c, share, 1)));
}

// Computes softmax along one axis.
inline node_id softmax_of(op_call const& c, node_id x, int axis) {
    attribute_list const along(axis);
    node_id const shift = c.append(op::stop_gradient, c.append(op::max, x, attribute_list(1 | largest_of_none, axis)));
    node_id const e = c.append(op::exp, c.append(op::subtract, x, shift));
    return c.append(op::divide, e, c.reduce(op::sum, e, along, true));
}
inline node_id log_softmax_of(op_call const& c, node_id x, int axis) {
    node_id const shift = c.append(op::stop_gradient, c.append(op::max, x, attribute_list(1 | largest_of_none, axis)));
    node_id const rest = c.append(op::subtract, x, shift);
    node_id const sum = c.reduce(op::sum, c.append(op::exp, rest), attribute_list(axis), true);
    return c.append(op::subtract, rest, c.append(op::log, sum));
}
// Before version 13 all axes from the given one on count as one.
template <class Of> void record_along_axis(op_call& c, Of const& of) {
    node_id const x = c[0];
    if (c.version() >= 13) return c.give(of(x, c.axis(c.integer("axis", -1), c.rank(x))));
    dims const d = c.known_shape(x);
    int const axis = c.rank(x) == 0 ? 0 : c.axis(c.integer("axis", 1), d.rank + (d.rank == 1 ? 1 : 0));
    dims flat{{1, 1}, 2};
    for (int a = 0; a < d.rank; ++a) flat[a < axis ? 0 : 1] *= d[a];
    c.give(c.reshape(of(c.reshape(x, flat), 1), d));
}
inline void record_softmax(op_call& c) {
    record_along_axis(c, [&](node_id x, int axis) { return softmax_of(c, x, axis); });
}
inline void record_log_softmax(op_call& c) {
    record_along_axis(c, [&](node_id x, int axis) { return log_softmax_of(c, x, axis); });
}
inline void record_hardmax(op_call& c) {
    node_id const x = c[0];
    int const axis = c.axis(c.integer("axis", -1), c.rank(x));
    node_id const first = c.append(op::argmax, x, attribute_list(1, axis));
    c.give(c.as(c.append(op::equal, c.low().iota_like<std::int64_t>(x, axis), first), c.type(x)));
}

} // namespace tx::onnx::detail
