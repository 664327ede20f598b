// This file represents real numbers as integers of 8 or 16 bits, x = scale (q - zero_point), as in ONNX's QuantizeLinear and
// DequantizeLinear.
#pragma once

#include <tracexpr/nn/loss_common.hpp>

namespace tx::detail {

constexpr bool is_quantized(dtype t) { return t == dtype::int8 || t == dtype::uint8 || t == dtype::int16 || t == dtype::uint16; }
constexpr double least_of(dtype t) { return t == dtype::int8 ? -128 : t == dtype::int16 ? -32768 : 0; }
constexpr double most_of(dtype t) { return t == dtype::int8 ? 127 : t == dtype::uint8 ? 255 : t == dtype::int16 ? 32767 : 65535; }
// Means that no axis is named: scale and zero point are scalars.
inline constexpr int no_axis = std::numeric_limits<int>::min();

constexpr int axis_in(int axis, int rank) { return axis < 0 ? axis + rank : axis; }
// Reshapes scale or zero point so that it broadcasts with x.
TRACEXPR_ONCE constexpr node_id record_along(lowering& low, node_id numbers, node_id x, int axis) {
    if (low.rank(numbers) == 0) return numbers;
    for (int a = axis_in(axis, low.rank(x)) + 1; a < low.rank(x); ++a) numbers = low.expand(numbers, low.rank(numbers));
    return numbers;
}
TRACEXPR_ONCE constexpr char const* quantization_problem(builder_specs given, int axis) {
    dims const& x = given[0].shape;
    bool const names_axis = axis != no_axis;
    int const along = axis_in(names_axis ? axis : 0, x.rank);
    if (names_axis && x.rank >= 0 && (along < 0 || along >= x.rank)) return "the axis must lie within the rank of x";
    for (std::size_t k = 1; k < given.size(); ++k) {
        dims const& d = given[k].shape;
        if (!is_real_number(given[k].type)) return "scale and zero point must be real numbers";
        if (d.rank > (names_axis ? 1 : 0))
            return "scale and zero point must be scalars, or, where an axis is named, vectors along that axis of x";
        if (d.rank == 1 && x.rank >= 0 && d[0] != dyn && x[along] != dyn && d[0] != x[along])
            return "scale and zero point must have the extent of x along the axis";
    }
    return nullptr;
}
// Computes round(x / scale) + zero_point, with halves rounded to even, before and after it is clipped to the range of the
// integers. NaN gives the least integer.
struct quantized_steps {
    node_id steps, number; // before and after clipping
};
TRACEXPR_ONCE constexpr quantized_steps record_steps(lowering& low, node_id x, node_id scale, node_id zero_point, dtype to) {
    node_id const steps = low.append(op::add, low.append(op::round, low.append(op::divide, x, scale)), zero_point);
    node_id const above = low.append(op::fmax, steps, low.number_like(steps, least_of(to)));
    return {steps, low.append(op::fmin, above, low.number_like(steps, most_of(to)))};
}
TRACEXPR_ONCE constexpr node_id record_quantize(lowering& low, node_id const* given, dtype to, int axis) {
    dtype const type = widened_dtype(to_inexact(low.type(given[0])));
    node_id const x = low.as(given[0], type);
    node_id const scale = record_along(low, low.as(given[1], type), x, axis);
    node_id const zero_point = record_along(low, low.as(given[2], type), x, axis);
    return low.as(record_steps(low, x, scale, zero_point, to).number, to);
}
TRACEXPR_ONCE constexpr node_id record_dequantize(lowering& low, node_id const* given, int axis) {
    dtype const type = widened_dtype(to_inexact(low.type(given[1])));
    dtype const whole = is_quantized(low.type(given[0])) ? type : dtype::int64; // a dtype in which differences are exact
    node_id const q = low.as(given[0], whole);
    node_id const zero_point = record_along(low, low.as(given[2], whole), q, axis);
    node_id const scale = record_along(low, low.as(given[1], type), q, axis);
    return low.append(op::multiply, low.as(low.append(op::subtract, q, zero_point), type), scale);
}
// Computes the dequantized value, with the derivative of x where x is within the integers' range: x - stop_gradient(x), which is
// 0, is added.
TRACEXPR_ONCE constexpr node_id record_fake_quantize(lowering& low, node_id const* given, dtype to, int axis) {
    dtype const type = widened_dtype(to_inexact(low.type(given[0])));
    node_id const x = low.as(given[0], type);
    auto const constant = [&](node_id v) { return low.append(op::stop_gradient, v); };
    node_id const scale = constant(record_along(low, low.as(given[1], type), x, axis));
    node_id const zero_point = constant(record_along(low, low.as(given[2], type), x, axis));
    quantized_steps const q = record_steps(low, constant(x), scale, zero_point, to);
    node_id const value = low.append(op::multiply, low.append(op::subtract, q.number, zero_point), scale);
    node_id const is_within = low.test(op::equal, q.steps, q.number);
    node_id const within = low.choose(is_within, x, low.zero_like(x));
    return low.append(op::add, value, low.append(op::subtract, within, constant(within)));
}

enum class quantization { quantize, dequantize, fake };
constexpr char const* name_of(quantization kind) {
    return kind == quantization::quantize     ? "nn::quantize"
           : kind == quantization::dequantize ? "nn::dequantize"
                                              : "nn::fake_quantize";
}
template <quantization What, dtype To, int Axis> struct quantization_builder {
    static constexpr char const* called = name_of(What);
    static constexpr char const* problem(builder_specs given) {
        if (What == quantization::dequantize ? !is_integer(given[0].type) : !is_real_number(given[0].type))
            return What == quantization::dequantize ? "takes integers" : "takes real numbers";
        return quantization_problem(given, Axis);
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{
            What == quantization::quantize ? To : to_inexact(given[What == quantization::dequantize ? 1 : 0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        if constexpr (What == quantization::quantize) return std::array<node_id, 1>{record_quantize(low, x, To, Axis)};
        else if constexpr (What == quantization::dequantize) return std::array<node_id, 1>{record_dequantize(low, x, Axis)};
        else return std::array<node_id, 1>{record_fake_quantize(low, x, To, Axis)};
    }
};
// Converts C++ numbers to tensors, because C++ numbers would take the dtype of x.
template <class T, class A> constexpr decltype(auto) strong(A const& a) {
    if constexpr (std::is_arithmetic_v<A>) return tensor<T, shape<>>(static_cast<T>(a));
    else return (a);
}
template <quantization What, class T, int Axis, class X, class S, class Z>
constexpr auto quantization_of(X const& x, S const& scale, Z const& zero_point) {
    using builder = quantization_builder<What, dtype_of<T>, Axis>;
    using scale_type = std::conditional_t<std::is_same_v<S, double>, double, float>;
    constexpr bool has_type = What == quantization::dequantize || is_quantized(dtype_of<T>);
    using numbers = std::remove_cvref_t<decltype(strong<scale_type>(scale))>;
    using points = std::remove_cvref_t<decltype(strong<std::int32_t>(zero_point))>;
    constexpr bool fits = built_problem<builder, X, numbers, points> == nullptr;
    static_assert(has_type, "tx: nn: quantize: the type must be int8, uint8, int16 or uint16; the zero point has it, or "
                            "quantize<std::int8_t>(x, scale)");
    static_assert(fits,
                  "tx: nn: quantize, dequantize, fake_quantize: scale and zero point must be scalars, or, where tx::axis names "
                  "one, vectors of the extent of x along that axis");
    return apply_if<(has_type && fits)>(built_fn<builder>{}, x, strong<scale_type>(scale), strong<std::int32_t>(zero_point));
}
// quantized_type is the integer type of the zero point, or the one that the call names.
template <class Named, class Z> struct quantized_type {
    using type = canonical<Named>;
};
template <class Z> struct quantized_type<void, Z> {
    using type = ctype<dtype_of_operand<Z>>;
};

} // namespace tx::detail

namespace tx::nn {
inline namespace TRACEXPR_CALLS {

// Computes round(x / scale) + zero_point, with halves rounded to even, clipped to the range of the zero point's type, which is
// int8, uint8, int16 or uint16; quantize<std::int8_t>(x, scale, 3) names it. Scale and zero point are scalars, or, with
// tx::axis<1>, vectors along that axis of x. NaN gives the least number. (ONNX: QuantizeLinear)
template <class T = void, array_operand X, operand S, operand Z, int Axis>
[[nodiscard]] constexpr auto quantize(X const& x, S const& scale, Z const& zero_point, axes_t<Axis>) {
    using type = typename tx::detail::quantized_type<T, Z>::type;
    return tx::detail::quantization_of<tx::detail::quantization::quantize, type, Axis>(x, scale, zero_point);
}
template <class T = void, array_operand X, operand S, operand Z>
[[nodiscard]] constexpr auto quantize(X const& x, S const& scale, Z const& zero_point) {
    return nn::quantize<T>(x, scale, zero_point, axis<tx::detail::no_axis>);
}
template <class T, array_operand X, operand S> [[nodiscard]] constexpr auto quantize(X const& x, S const& scale) {
    return nn::quantize<T>(x, scale, 0);
}
// Computes (q - zero_point) * scale in the dtype of scale; a C++ number that is no double counts as float. (ONNX:
// DequantizeLinear)
template <array_operand Q, operand S, operand Z, int Axis>
[[nodiscard]] constexpr auto dequantize(Q const& q, S const& scale, Z const& zero_point, axes_t<Axis>) {
    return tx::detail::quantization_of<tx::detail::quantization::dequantize, std::int8_t, Axis>(q, scale, zero_point);
}
template <array_operand Q, operand S, operand Z>
[[nodiscard]] constexpr auto dequantize(Q const& q, S const& scale, Z const& zero_point) {
    return nn::dequantize(q, scale, zero_point, axis<tx::detail::no_axis>);
}
template <array_operand Q, operand S> [[nodiscard]] constexpr auto dequantize(Q const& q, S const& scale) {
    return nn::dequantize(q, scale, 0);
}
// Computes dequantize(quantize(x)) in the dtype of x, for training: its derivative with respect to x is 1 where x is within the
// integers' range, else 0, and it has none with respect to the others. fake_quantize<std::int8_t>(x, scale, 3)
template <class T = void, array_operand X, operand S, operand Z, int Axis>
[[nodiscard]] constexpr auto fake_quantize(X const& x, S const& scale, Z const& zero_point, axes_t<Axis>) {
    using type = typename tx::detail::quantized_type<T, Z>::type;
    return tx::detail::quantization_of<tx::detail::quantization::fake, type, Axis>(x, scale, zero_point);
}
template <class T = void, array_operand X, operand S, operand Z>
[[nodiscard]] constexpr auto fake_quantize(X const& x, S const& scale, Z const& zero_point) {
    return nn::fake_quantize<T>(x, scale, zero_point, axis<tx::detail::no_axis>);
}
template <class T, array_operand X, operand S> [[nodiscard]] constexpr auto fake_quantize(X const& x, S const& scale) {
    return nn::fake_quantize<T>(x, scale, 0);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
