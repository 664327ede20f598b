// This file holds activations that trace/activations.hpp doesn't have; all are in tx and in tx::nn. Integers give float64;
// float16 and bfloat16 are computed in float32 where there is more than a product to compute.
#pragma once

#include <tracexpr/nn/building.hpp>
#include <tracexpr/trace/activations.hpp>

namespace tx {
namespace detail {

// In maxima and minima constants are the first argument, because ties give the first argument the gradient.
struct mish_fn {
    static constexpr char const* called = "mish";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = widened(a);
        return cast_to<mean_type<typename A::value_type>>(x * tanh(logaddexp(x, 0)));
    }
};
template <class X> constexpr auto hard_sigmoid_of(X const& x) { return minimum(1, maximum(0, x * (1.0 / 6) + 0.5)); }
struct hard_sigmoid_fn {
    static constexpr char const* called = "hard_sigmoid";
    template <class A> constexpr auto operator()(A const& a) const {
        return cast_to<mean_type<typename A::value_type>>(hard_sigmoid_of(widened(a)));
    }
};
struct hard_swish_fn {
    static constexpr char const* called = "hard_swish";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = widened(a);
        return cast_to<mean_type<typename A::value_type>>(x * hard_sigmoid_of(x));
    }
};
struct hard_tanh_fn {
    static constexpr char const* called = "hard_tanh";
    template <class A, class L, class H> constexpr auto operator()(A const& a, L const& low, H const& high) const {
        return minimum(high, maximum(low, a));
    }
};
// The argument of expm1 is min(x, 0), as the branch that isn't chosen must not overflow.
struct celu_fn {
    static constexpr char const* called = "celu";
    template <class A, class S> constexpr auto operator()(A const& a, S const& alpha) const {
        auto const x = widened(a);
        return cast_to<mean_type<typename A::value_type>>(where(x > 0, x, alpha * expm1(minimum(x, 0) / alpha)));
    }
};
// The formula is -log(1 + e^-x).
struct log_sigmoid_fn {
    static constexpr char const* called = "log_sigmoid";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = widened(a);
        return cast_to<mean_type<typename A::value_type>>(-logaddexp(-x, 0));
    }
};

TRACEXPR_ONCE constexpr char const* glu_problem(builder_specs given, int axis) {
    if (!are_real(given)) return "takes real numbers";
    dims const d = given[0].shape;
    if (d.rank < 0) return nullptr;
    int const a = axis < 0 ? axis + d.rank : axis;
    if (a < 0 || a >= d.rank) return "the axis must lie within the rank of x";
    if (d[a] != dyn && d[a] % 2 != 0) return "the axis must have an even extent";
    return nullptr;
}
// The axis is reshaped to (2, n) before the halves are sliced, so that an axis whose extent is known only when the program runs
// can be halved, too.
TRACEXPR_ONCE constexpr node_id record_glu(lowering& low, node_id given, int axis) {
    layer_nodes on(low);
    int const a = axis < 0 ? axis + low.rank(given) : axis;
    dtype const type = to_inexact(low.type(given));
    std::int64_t const extent = low.extent(given, a);
    node_id first, second;
    if (extent != dyn) {
        first = low.slice(given, a, 0, extent / 2), second = low.slice(given, a, extent / 2, slice_open);
    } else {
        node_id const halves = on.split(given, a, attribute_list(2, dyn));
        first = low.squeeze(low.slice(halves, a, 0, 1), a), second = low.squeeze(low.slice(halves, a, 1, 2), a);
    }
    return on.multiply(low.as(first, widened_dtype(type)), on.sigmoid(low.as(second, widened_dtype(type))));
}
template <int Axis> struct glu_builder {
    static constexpr char const* called = "glu";
    static constexpr char const* problem(builder_specs given) { return glu_problem(given, Axis); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        int const a = Axis < 0 ? Axis + out.rank : Axis;
        if (out[a] != dyn) out[a] /= 2;
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_glu(low, operands[0], Axis)};
    }
};

TRACEXPR_ONCE constexpr char const* prelu_problem(builder_specs given, bool first) {
    if (!are_real(given)) return "takes real numbers";
    dims const x = given[0].shape, s = given[1].shape;
    if (s.rank > 1) return "the slopes must be a scalar or a vector";
    if (s.rank != 1 || x.rank < 0) return nullptr;
    if (x.rank < (first ? 2 : 1)) return "slopes of channels need an axis of these";
    return agree(s[0], x[first ? 1 : x.rank - 1]) ? nullptr : "needs one slope, or one for each channel";
}
TRACEXPR_ONCE constexpr node_id record_prelu(lowering& low, node_id const* operands, bool first) {
    layer_nodes on(low);
    dtype const type = to_inexact(promote(low.type(operands[0]), low.type(operands[1])));
    node_id const x = low.as(operands[0], type), slopes = low.as(operands[1], type);
    node_id const slope = low.rank(slopes) == 1 && first ? on.beside(slopes, low.rank(x) - 2) : slopes;
    return low.choose(low.test(op::greater, x, low.zero_like(x)), x, on.multiply(slope, x));
}
template <bool First> struct prelu_builder {
    static constexpr char const* called = "prelu";
    static constexpr char const* problem(builder_specs given) { return prelu_problem(given, First); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(promote(given[0].type, given[1].type))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_prelu(low, operands, First)};
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes x tanh(softplus(x)). Misra, Mish (2019).
template <elementwise A> [[nodiscard]] constexpr auto mish(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: mish: takes real numbers; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::mish_fn{}, x);
}
// Computes min(max(x / 6 + 1/2, 0), 1), as PyTorch and JAX do; ONNX's slope is 0.2 by default.
template <elementwise A> [[nodiscard]] constexpr auto hard_sigmoid(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: hard_sigmoid: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::hard_sigmoid_fn{}, x);
}
// Computes x hard_sigmoid(x). Howard et al., Searching for MobileNetV3 (2019), section 5.2.
template <elementwise A> [[nodiscard]] constexpr auto hard_swish(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: hard_swish: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::hard_swish_fn{}, x);
}
// Computes min(max(x, low), high), by default from -1 to 1. Unlike that of tx::clip its derivative is 0 at both ends.
template <elementwise A> [[nodiscard]] constexpr auto hard_tanh(A const& x, double low = -1, double high = 1) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: hard_tanh: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::hard_tanh_fn{}, x, low, high);
}
// Computes x where it is positive, else alpha (e^(x / alpha) - 1), whose derivative at 0 is 1 for every alpha. Barron,
// Continuously Differentiable Exponential Linear Units (2017).
template <elementwise A, operand S = double> [[nodiscard]] constexpr auto celu(A const& x, S const& alpha = 1.0) {
    constexpr bool is_real = detail::is_real_operand<A> && detail::is_real_operand<S>;
    static_assert(is_real, "tx: celu: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::celu_fn{}, x, alpha);
}
// Computes log(sigmoid(x)) without its underflow.
template <elementwise A> [[nodiscard]] constexpr auto log_sigmoid(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: log_sigmoid: takes real numbers; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::log_sigmoid_fn{}, x);
}
// Multiplies the first half of an axis by the sigmoid of the second half: (..., 2 n) -> (..., n), glu(x, tx::axis<0>). Dauphin et
// al., Language Modeling with Gated Convolutional Networks (2017).
template <int Axis = -1, array_operand A> [[nodiscard]] constexpr auto glu(A const& x, axes_t<Axis> = {}) {
    constexpr bool fits = detail::built_problem<detail::glu_builder<Axis>, A> == nullptr;
    static_assert(fits, "tx: glu: needs real numbers and an axis within the rank of x, which has an even extent");
    return detail::apply_if<fits>(detail::built_fn<detail::glu_builder<Axis>>{}, x);
}
// Computes x where it is positive, else slope x, with one slope or one for each channel. Channels are the last axis of x, or with
// tx::channels_first the second one. The derivative at 0 is the slope. He et al., Delving Deep into Rectifiers (2015).
template <array_operand A, operand S> [[nodiscard]] constexpr auto prelu(A const& x, S const& slope) {
    constexpr bool fits = detail::built_problem<detail::prelu_builder<false>, A, S> == nullptr;
    static_assert(fits, "tx: prelu: takes real x (..., c) and a slope or slopes (c); of x (n, c, ...) give tx::channels_first");
    return detail::apply_if<fits>(detail::built_fn<detail::prelu_builder<false>>{}, x, slope);
}
template <array_operand A, operand S> [[nodiscard]] constexpr auto prelu(A const& x, S const& slope, channels_first_t) {
    constexpr bool fits = detail::built_problem<detail::prelu_builder<true>, A, S> == nullptr;
    static_assert(fits, "tx: prelu: takes real x (n, c, ...) with tx::channels_first, and a slope or slopes (c)");
    return detail::apply_if<fits>(detail::built_fn<detail::prelu_builder<true>>{}, x, slope);
}

} // namespace TRACEXPR_CALLS

namespace nn {
using tx::celu, tx::elu, tx::gelu, tx::glu, tx::hard_sigmoid, tx::hard_swish, tx::hard_tanh, tx::leaky_relu, tx::log_sigmoid,
    tx::log_softmax, tx::mish, tx::prelu, tx::relu, tx::relu6, tx::selu, tx::silu, tx::softmax, tx::softplus, tx::softsign;
} // namespace nn
} // namespace tx
