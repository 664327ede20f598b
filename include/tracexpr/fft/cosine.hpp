// This file has cosine and sine transforms of real numbers, types 1 to 4, as SciPy defines them. They are computed by Fourier
// transforms (J. Makhoul, A fast cosine transform in one and two dimensions, 1980).
#pragma once

#include <tracexpr/fft/options.hpp>

namespace tx {
namespace detail {

// cosine_call is a call of dct or dst, or of the inverse of one of them.
struct cosine_call {
    bool is_sine = false, is_inverse = false;
    fourier_options options{};

    // Gives the type of the transform that computes the call, up to its factor: types 2 and 3 are each other's inverses, 1 and 4
    // their own.
    constexpr int type() const {
        return is_inverse && (options.type == 2 || options.type == 3) ? 5 - options.type : options.type;
    }
    TRACEXPR_ONCE constexpr int axis(int rank) const {
        int const given = options.has_axes ? options.axes[0] : -1;
        return given < 0 ? given + rank : given;
    }
    constexpr bool is_first_cosine() const { return !is_sine && options.type == 1; }
};

enum class cosine_fault { none, dtypes, options, types, axes, sizes };
inline constexpr char const* cosine_faults[]{
    nullptr,
    "takes real numbers; transform real and imaginary parts each",
    "takes one axis, one extent of at least 1, a norm and a type, each once",
    "there are types 1 to 4",
    "the axis must lie within the rank of x; negative ones count from the end",
    "the axis must have elements, and for type 1 of dct two at least",
};
TRACEXPR_ONCE constexpr cosine_fault fault_of(cosine_call const& call, builder_specs given) {
    fourier_options const& o = call.options;
    dims const& d = given[0].shape;
    if (given[0].type == dtype::string || is_dual(given[0].type) || is_complex(given[0].type)) return cosine_fault::dtypes;
    if (o.repeated || o.axis_count > 1 || o.size_count > 1 || (o.size_count == 1 && o.sizes[0] < 1)) return cosine_fault::options;
    if (o.type < 1 || o.type > 4) return cosine_fault::types;
    if (d.rank < 0) return cosine_fault::none;
    int const a = call.axis(d.rank);
    if (a < 0 || a >= d.rank) return cosine_fault::axes;
    std::int64_t const n = o.size_count == 1 ? o.sizes[0] : d[a];
    return n != dyn && n < (call.is_first_cosine() ? 2 : 1) ? cosine_fault::sizes : cosine_fault::none;
}

class cosine_recorder {
public:
    constexpr cosine_recorder(lowering& low, cosine_call const& call, node_id x)
        : low_{low}, steps_(low), call_{call}, a_{call.axis(low.rank(x))} {
        x_ = low.as(x, fourier_real(low.type(x)));
        if (call.options.size_count == 1) x_ = steps_.resize(x_, a_, call.options.sizes[0]);
        n_ = low.extent(x_, a_);
    }
    TRACEXPR_ONCE constexpr node_id record() {
        node_id const x = x_;
        int const type = call_.type();
        bool const is_ortho = call_.options.norm == fourier_norm::ortho;
        if (is_ortho && (type == 3 || (type == 1 && !call_.is_sine))) x_ = ends_times(x_, 1.41421356237309504880, type == 1);
        node_id y = type == 1   ? (call_.is_sine ? first_sine() : first_cosine())
                    : type == 2 ? second()
                    : type == 3 ? third()
                                : fourth();
        if (is_ortho && (type == 2 || (type == 1 && !call_.is_sine))) y = ends_times(y, 0.70710678118654752440, type == 1);
        return scaled(y, x);
    }

private:
    constexpr bool is_row() const { return n_ != dyn; }
    constexpr node_id places() { return steps_.places<double>(x_, a_); }
    constexpr node_id numbers() { return steps_.places<std::int64_t>(x_, a_); }
    constexpr node_id negative(node_id x) { return low_.append(op::negative, x); }
    constexpr node_id minus(node_id a, node_id b) { return low_.append(op::subtract, a, b); }
    // Records pi times `part` over n, where the extent n may be known by the run only.
    TRACEXPR_ONCE constexpr node_id pi_over_n(double part) {
        return low_.append(op::divide, low_.literal(3.14159265358979323846 * part), steps_.extent(x_, a_));
    }
    // Negates the elements at odd places.
    TRACEXPR_ONCE constexpr node_id alternating(node_id x) {
        node_id const odd = low_.test(op::equal, low_.append(op::remainder, numbers(), low_.literal(std::int64_t{2})),
                                      low_.literal(std::int64_t{1}));
        return low_.choose(odd, negative(x), x);
    }
    // Multiplies the element at the end (for sine transforms the last one, otherwise the first), or both ends, by a number; ortho
    // norms need this.
    TRACEXPR_ONCE constexpr node_id ends_times(node_id x, double number, bool both) {
        node_id const place = numbers();
        node_id const last = minus(low_.as(steps_.extent(x_, a_), dtype::int64), low_.literal(std::int64_t{1}));
        node_id at = low_.test(op::equal, place, call_.is_sine ? last : low_.literal(std::int64_t{0}));
        if (both) at = low_.test(op::logical_or, at, low_.test(op::equal, place, last));
        return low_.choose(at, steps_.times(x, number), x);
    }

    // Type 1 of the cosine transform has the real coefficients of x followed by x backwards without its ends.
    TRACEXPR_ONCE constexpr node_id first_cosine() {
        node_id const parts[]{x_, low_.slice(steps_.flip(x_, a_), a_, 1, -1)};
        return steps_.real_of(steps_.transform(low_.concatenate(parts, a_), {fft_form::of_real, a_}));
    }
    // Type 1 of the sine transform has the imaginary coefficients of 0, x, 0, and then -x backwards.
    TRACEXPR_ONCE constexpr node_id first_sine() {
        node_id const parts[]{steps_.pad(x_, a_, 1, 1), negative(steps_.flip(x_, a_))};
        node_id const all = steps_.transform(low_.concatenate(parts, a_), {fft_form::of_real, a_});
        return negative(low_.slice(steps_.imag_of(all), a_, 1, -1));
    }
    // For type 2, as in Makhoul, the elements at even places and then those at odd places backwards have the transform V; y[k] =
    // 2 Re(exp(-i pi k / 2 n) V[k]), and y[n - k] is minus twice the imaginary part. The sine transform is the cosine transform
    // of alternating signs, backwards.
    TRACEXPR_ONCE constexpr node_id second() {
        node_id const x = call_.is_sine ? alternating(x_) : x_;
        node_id const even = low_.slice(x, a_, slice_open, slice_open, 2);
        node_id v = even;
        if (n_ != 1) {
            node_id const parts[]{even, steps_.flip(low_.slice(x, a_, 1, slice_open, 2), a_)};
            v = low_.concatenate(parts, a_);
        }
        node_id const coefficients = steps_.transform(v, {fft_form::of_real, a_});
        node_id const place = steps_.places<double>(coefficients, a_);
        node_id const turn = steps_.turn(low_.append(op::multiply, place, pi_over_n(-0.5)), low_.type(coefficients));
        node_id const turned = steps_.times(low_.append(op::multiply, coefficients, turn), 2.0);
        node_id const y = n_ == dyn ? unfolded(turned) : joined(turned);
        return call_.is_sine ? steps_.flip(y, a_) : y;
    }
    TRACEXPR_ONCE constexpr node_id joined(node_id turned) {
        node_id const front = low_.slice(steps_.real_of(turned), a_, 0, n_ / 2 + 1);
        if (n_ <= 2) return front;
        node_id const back = low_.slice(steps_.imag_of(turned), a_, 1, (n_ - 1) / 2 + 1);
        node_id const parts[]{front, negative(steps_.flip(back, a_))};
        return low_.concatenate(parts, a_);
    }
    TRACEXPR_ONCE constexpr node_id unfolded(node_id turned) {
        node_id const k = numbers(), n = low_.axis_size<std::int64_t>(x_, a_), rest = minus(n, k);
        node_id const all = steps_.gather(turned, a_, low_.append(op::minimum, k, rest), false);
        node_id const is_front = low_.test(op::less_equal, k, rest);
        return low_.choose(is_front, steps_.real_of(all), negative(steps_.imag_of(all)));
    }
    // Type 3 inverts type 2: (x[k] - i x[n - k]) exp(i pi k / 2 n), where x[n] = 0, are the coefficients of the elements in
    // Makhoul's order.
    TRACEXPR_ONCE constexpr node_id third() {
        node_id const x = call_.is_sine ? steps_.flip(x_, a_) : x_;
        node_id const behind = low_.slice(steps_.pad(steps_.flip(x, a_), a_, 1, 0), a_, 0, -1);
        node_id const turn = low_.append(op::multiply, places(), pi_over_n(0.5));
        dtype const type = fourier_complex(low_.type(x));
        node_id all = low_.append(op::multiply, steps_.complex_of(x, negative(behind)), steps_.turn(turn, type));
        if (n_ != dyn) {
            all = low_.slice(all, a_, 0, n_ / 2 + 1);
        } else { // There are as many as a transform of x has.
            node_id const like = steps_.transform(x, {fft_form::of_real, a_});
            all = steps_.gather(all, a_, low_.iota_like<std::int64_t>(like, a_), false);
        }
        node_id const v = steps_.transform(all, {fft_form::to_real, a_, n_ == dyn ? -1 : n_}, n_ == dyn ? x : node_id::none);
        node_id const k = numbers(), half = low_.append(op::floor_divide, k, low_.literal(std::int64_t{2}));
        node_id const is_even = low_.test(op::equal, low_.append(op::add, half, half), k);
        node_id const last = minus(low_.as(steps_.extent(x_, a_), dtype::int64), low_.literal(std::int64_t{1}));
        node_id const y = steps_.gather(v, a_, low_.choose(is_even, half, minus(last, half)), is_row());
        return call_.is_sine ? alternating(y) : y;
    }
    // Type 4 uses (2 j + 1)(2 k + 1) = 4 j k + 2 j + (2 k + 1): it is a transform of 2 n numbers between two multiplications by
    // roots of unity.
    TRACEXPR_ONCE constexpr node_id fourth() {
        dtype const type = fourier_complex(low_.type(x_));
        node_id const step = pi_over_n(-0.5), j = low_.append(op::multiply, places(), step);
        node_id const turned = low_.append(op::multiply, low_.as(x_, type), steps_.turn(j, type));
        node_id padded = turned;
        if (n_ != dyn) {
            padded = steps_.pad(turned, a_, 0, n_);
        } else {
            node_id const none =
                low_.choose(low_.test(op::less, numbers(), low_.literal(std::int64_t{0})), turned, low_.zero_like(turned));
            node_id const parts[]{turned, none};
            padded = low_.concatenate(parts, a_);
        }
        node_id const spectrum = steps_.transform(padded, {fft_form::forward, a_});
        node_id const first_n = n_ != dyn ? low_.slice(spectrum, a_, 0, n_) : steps_.gather(spectrum, a_, numbers(), false);
        node_id const k = low_.append(op::multiply, low_.append(op::add, places(), low_.literal(0.5)), step);
        node_id const all = low_.append(op::multiply, first_n, steps_.turn(k, type));
        return call_.is_sine ? steps_.times(steps_.imag_of(all), -2.0) : steps_.times(steps_.real_of(all), 2.0);
    }

    // Scales y by 1 / 2 N or its square root, where N is n, or n - 1 for the first cosine transform, or n + 1 for the first sine
    // transform.
    TRACEXPR_ONCE constexpr node_id scaled(node_id y, node_id x) {
        fourier_norm const norm = call_.options.norm;
        bool const is_whole = norm == (call_.is_inverse ? fourier_norm::backward : fourier_norm::forward);
        if (norm != fourier_norm::ortho && !is_whole) return y;
        double const more = call_.type() != 1 ? 0 : call_.is_sine ? 2 : -2;
        node_id const n = steps_.extent(x, a_);
        node_id const all = low_.append(op::add, low_.append(op::add, n, n), low_.literal(more));
        return steps_.times(y, low_.append(is_whole ? op::reciprocal : op::rsqrt, all));
    }

    lowering& low_;
    fourier_steps steps_;
    cosine_call const& call_;
    int a_;
    node_id x_{};
    std::int64_t n_ = dyn;
};
constexpr node_id record_cosine(lowering& low, cosine_call const& call, node_id x) {
    return cosine_recorder(low, call, x).record();
}

template <bool IsSine, bool IsInverse, class Sizes, class... Options> struct cosine_builder {
    static constexpr char const* called = IsSine ? (IsInverse ? "idst" : "dst") : IsInverse ? "idct" : "dct";
    static constexpr cosine_call call{IsSine, IsInverse, fourier_options_of<Sizes, Options...>::value};

    static constexpr char const* problem(builder_specs given) {
        return cosine_faults[static_cast<std::size_t>(fault_of(call, given))];
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{is_floating(given[0].type) ? given[0].type : dtype::float64};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        if (call.options.size_count == 1) out[call.axis(out.rank)] = call.options.sizes[0];
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_cosine(low, call, x[0])};
    }
};

template <class Builder, class X> constexpr bool check_cosine() {
    constexpr builder_spec given[]{{dtype_of_operand<X>, dims_of_operand<X>}};
    constexpr cosine_fault fault = fault_of(Builder::call, given);
    static_assert(fault != cosine_fault::dtypes, "tx: dct, dst: take real numbers; transform real and imaginary parts each");
    static_assert(fault != cosine_fault::options,
                  "tx: dct, dst: take one axis, one extent of at least 1, a norm and a type, each once; leave out the others");
    static_assert(fault != cosine_fault::types, "tx: dct, dst: there are types 1 to 4; write tx::fft::type<2>");
    static_assert(fault != cosine_fault::axes,
                  "tx: dct, dst: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(fault != cosine_fault::sizes,
                  "tx: dct, dst: the axis must have elements, and for type 1 of dct two at least; the shape stands in the note");
    return fault == cosine_fault::none;
}

inline namespace TRACEXPR_CALLS {
template <bool IsSine, bool IsInverse, std::int64_t... Sizes, class X, class... Options>
constexpr auto cosine_transform(X const& x, Options...) {
    using builder = cosine_builder<IsSine, IsInverse, std::integer_sequence<std::int64_t, Sizes...>, Options...>;
    return detail::apply_if<check_cosine<builder, X>()>(built_fn<builder>{}, x);
}
} // namespace TRACEXPR_CALLS
} // namespace detail

namespace fft {
inline namespace TRACEXPR_CALLS {

// Computes the discrete cosine transform along the last axis, or that of tx::axis<...>, as in scipy.fft. For type 2, the default,
// y[k] is 2 times the sum over j of x[j] cos(pi k (2 j + 1) / 2 n); tx::fft::type<1>, <3> and <4> are the others. dct<n>(x) cuts
// x to n elements first, or puts zeros behind. With tx::fft::ortho it is orthogonal. The dtype stays; integers become float64.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto dct(X const& x, Options... options) {
    return tx::detail::cosine_transform<false, false, N...>(x, options...);
}
// Computes the inverse of dct with the same type and norm.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto idct(X const& x, Options... options) {
    return tx::detail::cosine_transform<false, true, N...>(x, options...);
}
// Computes the discrete sine transform along the last axis, or that of tx::axis<...>, as in scipy.fft. For type 2, the default,
// y[k] is 2 times the sum over j of x[j] sin(pi (k + 1) (2 j + 1) / 2 n). Its options are those of dct.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto dst(X const& x, Options... options) {
    return tx::detail::cosine_transform<true, false, N...>(x, options...);
}
// Computes the inverse of dst with the same type and norm.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto idst(X const& x, Options... options) {
    return tx::detail::cosine_transform<true, true, N...>(x, options...);
}

} // namespace TRACEXPR_CALLS
} // namespace fft
} // namespace tx
