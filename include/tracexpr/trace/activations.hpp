// This file holds the activation functions of neural networks, softmax and logsumexp, composed of other functions. Outside of a
// trace each runs as one fused function. Integer operands give float64 where the mathematical result is not an integer.
#pragma once

#include <tracexpr/trace/reductions.hpp>
#include <tracexpr/trace/stop_gradient.hpp>

#include <limits>

namespace tx {

// An argument of gelu: gelu(x, tx::approximate) computes the tanh form.
enum approximate_t { approximate };

namespace detail {

template <class A> constexpr auto to_floating(A const& a) { return cast_to<mean_type<typename A::value_type>>(a); }

// The constant comes first: maximum gives ties, and their gradient, to its first argument, and relu's gradient at 0 is 0.
struct relu_fn {
    static constexpr char const* called = "relu";
    template <class A> constexpr auto operator()(A const& x) const { return maximum(typename A::value_type{}, x); }
};
struct relu6_fn {
    static constexpr char const* called = "relu6";
    template <class A> constexpr auto operator()(A const& x) const {
        return minimum(static_cast<typename A::value_type>(6), maximum(typename A::value_type{}, x));
    }
};
struct leaky_relu_fn {
    static constexpr char const* called = "leaky_relu";
    template <class A, class S> constexpr auto operator()(A const& a, S const& slope) const {
        auto const x = to_floating(a);
        return where(x > 0, x, slope * x);
    }
};
// The exponential is taken of min(x, 0), so that the branch that `where` drops cannot overflow.
struct elu_fn {
    static constexpr char const* called = "elu";
    template <class A, class S> constexpr auto operator()(A const& a, S const& alpha) const {
        auto const x = to_floating(a);
        return where(x > 0, x, alpha * expm1(minimum(x, 0)));
    }
};
// scale and alpha keep mean 0 and variance 1; source: Klambauer et al., Self-Normalizing Neural Networks (2017), equation 2.
struct selu_fn {
    static constexpr char const* called = "selu";
    template <class A> constexpr auto operator()(A const& x) const {
        return 1.0507009873554804934193349852946 * elu_fn{}(x, 1.6732632423543772848170429916717);
    }
};
// log(1 + e^x) = log(e^x + e^0), whose slope at 0 is 1/2.
struct softplus_fn {
    static constexpr char const* called = "softplus";
    template <class A> constexpr auto operator()(A const& a) const { return logaddexp(to_floating(a), 0); }
};
struct softsign_fn {
    static constexpr char const* called = "softsign";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = to_floating(a);
        return x / (abs(x) + 1);
    }
};
struct silu_fn {
    static constexpr char const* called = "silu";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = to_floating(a);
        return x * sigmoid(x);
    }
};
// float16 and bfloat16 are computed in float32.
template <class A> constexpr auto widened(A const& a) { return cast_to<mean_sum_type<typename A::value_type>>(a); }
// gelu(x) = x Phi(x), where Phi is the normal distribution function; source: Hendrycks and Gimpel, Gaussian Error Linear Units
// (2016), section 2. It is computed by erfc, and the tanh form by sigmoid, because 1 + erf and 1 + tanh lose all digits of small
// results.
struct gelu_fn {
    static constexpr char const* called = "gelu";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = widened(a);
        return cast_to<mean_type<typename A::value_type>>(0.5 * x * erfc(x * -0.70710678118654752440084436210485));
    }
};
struct gelu_tanh_fn {
    static constexpr char const* called = "gelu";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = widened(a);
        return cast_to<mean_type<typename A::value_type>>(
            x * sigmoid(1.5957691216057307117597842397375 * (x + 0.044715 * (x * x * x))));
    }
};
struct clip_fn {
    static constexpr char const* called = "clip";
    template <class A, class L, class H> static constexpr void check(A const&, L const& low, H const& high) {
        check_scalar<common_dtype<A, L>>("clip", low);
        check_scalar<common_dtype<A, L, H>>("clip", high);
    }
    template <class A, class L, class H> constexpr auto operator()(A const& x, L const& low, H const& high) const {
        check(x, low, high);
        return minimum(maximum(x, low), high);
    }
};
struct lerp_fn {
    static constexpr char const* called = "lerp";
    template <class A, class B, class T> constexpr auto operator()(A const& a, B const& b, T const& t) const {
        return a + t * (b - a);
    }
};

// The reduction runs along the last axis where the call names none.
template <int... Axes> struct softmax_form {
    using type = reduction_form<over::axes, reduced_axes::stay, Axes...>;
};
template <> struct softmax_form<> {
    using type = reduction_form<over::axes, reduced_axes::stay, -1>;
};

// The maximum along the axes, subtracted before the exponential; of no elements it is -inf. Results do not depend on what is
// subtracted, so derivatives do not pass through the maximum.
template <class Form> struct shift_rule {
    static constexpr op code = op::max;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out = Form::attributes(d);
        out.value[0] |= largest_of_none;
        return out;
    }
};
template <class Form, class A> constexpr auto shift_of(A const& x) {
    return stop_gradient_fn{}(record_rule<shift_rule<Form>>(x));
}

template <class Form> struct softmax_fn {
    static constexpr char const* called = "softmax";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = widened(a);
        auto const e = exp(x - shift_of<Form>(x));
        // One division a row instead of one an element costs half an ULP.
        return cast_to<mean_type<typename A::value_type>>(e * (1 / record_rule<reduction_rule<op::sum, Form>>(e)));
    }
};
template <class Form> struct log_softmax_fn {
    static constexpr char const* called = "log_softmax";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const x = widened(a);
        auto const shifted = x - shift_of<Form>(x);
        return cast_to<mean_type<typename A::value_type>>(shifted -
                                                          log(record_rule<reduction_rule<op::sum, Form>>(exp(shifted))));
    }
};
// An infinite maximum is not subtracted, so the result is -inf, not NaN, where all elements are -inf or there are none.
template <class Form> struct logsumexp_fn {
    static constexpr char const* called = "logsumexp";
    struct reduced_rule {
        static constexpr op code = op::squeeze;
        static constexpr attribute_list attributes(dims const& d) { return Form::axes(d); }
    };
    template <class A> constexpr auto operator()(A const& a) const {
        using kept = typename Form::kept;
        auto const x = widened(a);
        auto const largest = shift_of<kept>(x);
        auto const shift = where(isfinite(largest), largest, 0);
        auto const sum = record_rule<reduction_rule<op::sum, kept>>(exp(x - shift));
        // the constant's slope is not infinite
        auto const sum_log = where(sum == 0, -std::numeric_limits<double>::infinity(), log(sum)) + shift;
        if constexpr (Form::keep) return cast_to<mean_type<typename A::value_type>>(sum_log);
        else return record_rule<reduced_rule>(cast_to<mean_type<typename A::value_type>>(sum_log));
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// max(x, 0); the derivative at 0 is 0.
template <elementwise A> [[nodiscard]] constexpr auto relu(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: relu: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::relu_fn{}, x);
}
// min(max(x, 0), 6).
template <elementwise A> [[nodiscard]] constexpr auto relu6(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: relu6: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::relu6_fn{}, x);
}
// x where positive, else slope * x.
template <elementwise A, operand S = double> [[nodiscard]] constexpr auto leaky_relu(A const& x, S const& slope = 0.01) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: leaky_relu: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::leaky_relu_fn{}, x, slope);
}
// x where positive, else alpha * (e^x - 1).
template <elementwise A, operand S = double> [[nodiscard]] constexpr auto elu(A const& x, S const& alpha = 1.0) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: elu: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::elu_fn{}, x, alpha);
}
// scale * elu(x, alpha), with the constants of Klambauer et al. (2017).
template <elementwise A> [[nodiscard]] constexpr auto selu(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: selu: complex numbers have no order; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::selu_fn{}, x);
}
// log(1 + e^x)
template <elementwise A> [[nodiscard]] constexpr auto softplus(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: softplus: takes real numbers; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::softplus_fn{}, x);
}
// x / (1 + |x|)
template <elementwise A> [[nodiscard]] constexpr auto softsign(A const& x) { return detail::apply(detail::softsign_fn{}, x); }
// x * sigmoid(x), also called swish.
template <elementwise A> [[nodiscard]] constexpr auto silu(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: silu: takes real numbers; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::silu_fn{}, x);
}
// x times the normal distribution function of x; with tx::approximate through tanh.
template <elementwise A> [[nodiscard]] constexpr auto gelu(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: gelu: takes real numbers; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::gelu_fn{}, x);
}
template <elementwise A> [[nodiscard]] constexpr auto gelu(A const& x, approximate_t) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: gelu: takes real numbers; apply it to tx::real(x) and tx::imag(x)");
    return detail::apply_if<is_real>(detail::gelu_tanh_fn{}, x);
}

// min(max(x, low), high): NaN stays, and high wins where low > high.
template <class A, class L, class H> requires elementwise<A, L, H>
[[nodiscard]] constexpr auto clip(A const& x, L const& low, H const& high) {
    constexpr bool is_real = detail::is_real_operand<A> && detail::is_real_operand<L> && detail::is_real_operand<H>;
    static_assert(is_real, "tx: clip: complex numbers have no order");
    return detail::apply_if<is_real>(detail::clip_fn{}, x, low, high);
}
// a + t * (b - a)
template <class A, class B, class T> requires elementwise<A, B, T>
[[nodiscard]] constexpr auto lerp(A const& a, B const& b, T const& t) {
    return detail::apply(detail::lerp_fn{}, a, b, t);
}

// e^x / sum(e^x) along the last axis, or along the axes named: softmax(x, tx::axis<0>), softmax<0>(x). The maximum is subtracted
// from x first. The result is empty where x is.
template <int... Axes, array_operand A> [[nodiscard]] constexpr auto softmax(A const& x, axes_t<Axes...> = {}) {
    using form = typename detail::softmax_form<Axes...>::type;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(is_real, "tx: softmax: takes real numbers");
    static_assert(fits, "tx: softmax: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_real && fits)>(detail::softmax_fn<form>{}, x);
}
// log(softmax(x)), computed without its underflow.
template <int... Axes, array_operand A> [[nodiscard]] constexpr auto log_softmax(A const& x, axes_t<Axes...> = {}) {
    using form = typename detail::softmax_form<Axes...>::type;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(is_real, "tx: log_softmax: takes real numbers");
    static_assert(fits, "tx: log_softmax: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_real && fits)>(detail::log_softmax_fn<form>{}, x);
}
// log(sum(e^x)), a reduction over all axes by default. The result is -inf where all elements are -inf or there are none; its
// derivative is 0 there.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto logsumexp(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(is_real, "tx: logsumexp: takes real numbers");
    static_assert(fits, "tx: logsumexp: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_real && fits)>(detail::logsumexp_fn<form>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
