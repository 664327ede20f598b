// This file has the discrete Fourier transforms of numpy.fft: complex and real ones, along one axis or several.
#pragma once

#include <tracexpr/fft/options.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace detail {

enum class fourier_way { fft, ifft, rfft, irfft, hfft, ihfft };

// fourier_call is a function of this family. `dimensions` is the number of axes that it takes where none are named; 0 stands for
// all.
struct fourier_call {
    fourier_way way{};
    int dimensions = 1;
    fourier_options options{};

    constexpr bool takes_real() const { return way == fourier_way::rfft || way == fourier_way::ihfft; }
    constexpr bool makes_real() const { return way == fourier_way::irfft || way == fourier_way::hfft; }
    constexpr bool is_forward() const { return way == fourier_way::fft || way == fourier_way::rfft || way == fourier_way::hfft; }
};

// fourier_axes holds the axes of an operand of that rank, in order; the last one is that of the real numbers.
struct fourier_axes {
    int count = 0;
    int axis[max_rank]{};
    std::int64_t size[max_rank]{}; // -1 where the operand tells it

    constexpr fourier_axes(fourier_call const& call, int rank) {
        fourier_options const& o = call.options;
        int const named = o.has_axes            ? o.axis_count
                          : call.dimensions > 0 ? call.dimensions
                          : o.size_count > 0    ? o.size_count
                                                : rank;
        count = named;
        for (int k = 0; k < count && k < max_rank; ++k) {
            int const given = o.has_axes ? o.axes[k] : k - count;
            axis[k] = given < 0 ? given + rank : given;
            size[k] = o.size_count > 0 ? o.sizes[k] : -1;
        }
    }
    TRACEXPR_ONCE constexpr bool fit(int rank) const {
        if (count > rank) return false;
        for (int k = 0; k < count; ++k) {
            if (axis[k] < 0 || axis[k] >= rank) return false;
            for (int l = 0; l < k; ++l)
                if (axis[k] == axis[l]) return false;
        }
        return true;
    }
    // Gives the extent of the result along axis number k, where x has the extent `given`.
    TRACEXPR_ONCE constexpr std::int64_t result_extent(fourier_call const& call, int k, std::int64_t given) const {
        bool const is_last = k == count - 1;
        if (is_last && call.makes_real()) return size[k] != -1 ? size[k] : given == dyn ? dyn : 2 * (given - 1);
        std::int64_t const n = size[k] != -1 ? size[k] : given;
        return is_last && call.takes_real() && n != dyn ? n / 2 + 1 : n;
    }
};

enum class fourier_fault { none, dtypes, real, options, sizes, axes, empty };
inline constexpr char const* fourier_faults[]{
    nullptr,
    "takes numbers, and no strings or duals",
    "takes real numbers; use tx::fft::fft for complex ones",
    "takes tx::axis<...>, as many axes as it transforms, and a norm, each once",
    "needs one extent of at least 1 for each axis that it transforms",
    "axes must differ and lie within the rank of x; negative ones count from the end",
    "an axis must have elements, and two coefficients at least where real numbers result; give the extent",
};
TRACEXPR_ONCE constexpr fourier_fault fault_of(fourier_call const& call, builder_specs given) {
    fourier_options const& o = call.options;
    dims const& d = given[0].shape;
    if (given[0].type == dtype::string || is_dual(given[0].type)) return fourier_fault::dtypes;
    if (call.takes_real() && is_complex(given[0].type)) return fourier_fault::real;
    if (o.repeated || o.has_type || (o.has_axes && call.dimensions > 0 && o.axis_count != call.dimensions))
        return fourier_fault::options;
    if (d.rank < 0) return fourier_fault::none;
    fourier_axes const axes(call, d.rank);
    if (o.size_count > 0 && o.size_count != axes.count) return fourier_fault::sizes;
    if (axes.count == 0 || !axes.fit(d.rank)) return fourier_fault::axes;
    for (int k = 0; k < axes.count; ++k) {
        if (o.size_count > 0 && axes.size[k] < 1) return fourier_fault::sizes;
        std::int64_t const extent = d[axes.axis[k]];
        bool const is_short = axes.size[k] == -1 && extent != dyn && axes.result_extent(call, k, extent) < 1;
        if (extent == 0 || is_short) return fourier_fault::empty;
    }
    return fourier_fault::none;
}
TRACEXPR_ONCE constexpr dims fourier_shape(fourier_call const& call, dims d) {
    fourier_axes const axes(call, d.rank);
    for (int k = 0; k < axes.count; ++k) d[axes.axis[k]] = axes.result_extent(call, k, d[axes.axis[k]]);
    return d;
}

class fourier_recorder {
public:
    constexpr fourier_recorder(lowering& low, fourier_call const& call) : low_{low}, steps_(low), call_{call} {}

    TRACEXPR_ONCE constexpr node_id record(node_id x) {
        fourier_axes const axes(call_, low_.rank(x));
        x = low_.as(x, call_.takes_real() ? fourier_real(low_.type(x)) : fourier_complex(low_.type(x)));
        int const last = axes.count - 1;
        if (call_.takes_real()) { // It is scaled while there are fewer numbers.
            for (int k = 0; k <= last; ++k) x = sized(x, axes.axis[k], axes.size[k]);
            x = scaled(x, x, axes);
            x = steps_.transform(x, {fft_form::of_real, axes.axis[last]});
            for (int k = last - 1; k >= 0; --k) x = steps_.transform(x, {fft_form::forward, axes.axis[k]});
            return call_.way == fourier_way::ihfft ? low_.append(op::conj, x) : x;
        }
        if (call_.way == fourier_way::hfft) x = low_.append(op::conj, x);
        auto const way = call_.is_forward() ? fft_form::forward : fft_form::inverse;
        for (int k = call_.makes_real() ? last - 1 : last; k >= 0; --k)
            x = steps_.transform(sized(x, axes.axis[k], axes.size[k]), {way, axes.axis[k]});
        if (call_.makes_real()) {
            std::int64_t const n = axes.size[last];
            x = steps_.transform(sized(x, axes.axis[last], n == -1 ? -1 : n / 2 + 1), {fft_form::to_real, axes.axis[last], n});
        }
        return scaled(x, x, axes);
    }

private:
    constexpr node_id sized(node_id x, int a, std::int64_t n) { return n == -1 ? x : steps_.resize(x, a, n); }
    // Multiplies x by the norm's factor for the extents that `of` has along the axes.
    TRACEXPR_ONCE constexpr node_id scaled(node_id x, node_id of, fourier_axes const& axes) {
        fourier_norm const norm = call_.options.norm;
        bool const is_whole = norm == (call_.is_forward() ? fourier_norm::forward : fourier_norm::backward);
        if (norm != fourier_norm::ortho && !is_whole) return x;
        double known = 1;
        node_id unknown = node_id::none;
        for (int k = 0; k < axes.count; ++k) {
            std::int64_t const n = low_.extent(of, axes.axis[k]);
            if (n != dyn) {
                known *= static_cast<double>(n);
                continue;
            }
            node_id const extent = steps_.extent(of, axes.axis[k]);
            unknown = unknown == node_id::none ? extent : low_.append(op::multiply, unknown, extent);
        }
        if (unknown == node_id::none && is_whole) return known == 1 ? x : steps_.times(x, 1 / known);
        node_id const all = unknown == node_id::none ? low_.literal(known) : steps_.times(unknown, known);
        return steps_.times(x, low_.append(is_whole ? op::reciprocal : op::rsqrt, all));
    }

    lowering& low_;
    fourier_steps steps_;
    fourier_call const& call_;
};
constexpr node_id record_fourier(lowering& low, fourier_call const& call, node_id x) {
    return fourier_recorder(low, call).record(x);
}

template <fourier_way Way, int Dimensions, class Sizes, class... Options> struct fourier_builder {
    static constexpr char const* called = Way == fourier_way::fft     ? "fft"
                                          : Way == fourier_way::ifft  ? "ifft"
                                          : Way == fourier_way::rfft  ? "rfft"
                                          : Way == fourier_way::irfft ? "irfft"
                                          : Way == fourier_way::hfft  ? "hfft"
                                                                      : "ihfft";
    static constexpr fourier_call call{Way, Dimensions, fourier_options_of<Sizes, Options...>::value};

    static constexpr char const* problem(builder_specs given) {
        return fourier_faults[static_cast<std::size_t>(fault_of(call, given))];
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{call.makes_real() ? fourier_real(given[0].type) : fourier_complex(given[0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{fourier_shape(call, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_fourier(low, call, x[0])};
    }
};

template <class Builder, class X> constexpr bool check_fourier() {
    constexpr builder_spec given[]{{dtype_of_operand<X>, dims_of_operand<X>}};
    constexpr fourier_fault fault = fault_of(Builder::call, given);
    static_assert(fault != fourier_fault::dtypes, "tx: fft: takes numbers, and no strings or duals");
    static_assert(fault != fourier_fault::real, "tx: rfft, ihfft: take real numbers; use tx::fft::fft for complex ones");
    static_assert(fault != fourier_fault::options,
                  "tx: fft: takes tx::axis<...>, as many axes as it transforms, and a norm, each once; leave out the others");
    static_assert(fault != fourier_fault::sizes, "tx: fft: needs one extent of at least 1 for each axis that it transforms");
    static_assert(fault != fourier_fault::axes,
                  "tx: fft: axes must differ and lie within the rank of x; negative ones count from the end");
    static_assert(fault != fourier_fault::empty, "tx: fft: an axis must have elements, and two coefficients at least where real "
                                                 "numbers result; give the extent, irfft<n>(x)");
    return fault == fourier_fault::none;
}

inline namespace TRACEXPR_CALLS {
template <fourier_way Way, int Dimensions, std::int64_t... Sizes, class X, class... Options>
constexpr auto fourier_transform(X const& x, Options...) {
    using builder = fourier_builder<Way, Dimensions, std::integer_sequence<std::int64_t, Sizes...>, Options...>;
    return detail::apply_if<check_fourier<builder, X>()>(built_fn<builder>{}, x);
}
} // namespace TRACEXPR_CALLS
} // namespace detail

namespace fft {
inline namespace TRACEXPR_CALLS {

// Computes the discrete Fourier transform along the last axis, or that of tx::axis<...>: y[k] = sum over j of x[j] exp(-2 pi i j
// k / n), x (..., n) -> (..., n). fft<n>(x) cuts x to n elements first, or puts zeros behind. With tx::fft::ortho or
// tx::fft::forward it is scaled. The result is complex64 for float, half and bfloat16, and complex128 for double and integers.
// Gradients with respect to complex numbers follow tx::grad's convention, in which that of |z|^2 is 2 z.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto fft(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::fft, 1, N...>(x, options...);
}
// Computes the inverse of fft: x[j] = 1 / n times the sum over k of y[k] exp(2 pi i j k / n).
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto ifft(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::ifft, 1, N...>(x, options...);
}
// Computes the first n / 2 + 1 numbers of the transform of real numbers, from which the others follow: x (..., n) -> (..., n / 2
// + 1).
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto rfft(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::rfft, 1, N...>(x, options...);
}
// Computes the inverse of rfft, n real numbers: irfft<n>(x), where n is 2 (m - 1) for m coefficients if it isn't given. It reads
// n / 2 + 1 coefficients, and only the real part of the first one and, for an even n, of the last one.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto irfft(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::irfft, 1, N...>(x, options...);
}
// Computes the real transform of numbers of which the first n / 2 + 1 are given, while the others are their conjugates; n is that
// of irfft.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto hfft(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::hfft, 1, N...>(x, options...);
}
// Computes the inverse of hfft: x (..., n) -> (..., n / 2 + 1).
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto ihfft(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::ihfft, 1, N...>(x, options...);
}

// Computes fft along the last two axes, or two others: fft2(x, tx::axis<0, 1>), fft2<m, n>(x).
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto fft2(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::fft, 2, N...>(x, options...);
}
// Computes the inverse of fft2.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto ifft2(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::ifft, 2, N...>(x, options...);
}
// Computes rfft along the last axis, then fft along the one before: x (..., m, n) -> (..., m, n / 2 + 1).
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto rfft2(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::rfft, 2, N...>(x, options...);
}
// Computes the inverse of rfft2.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto irfft2(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::irfft, 2, N...>(x, options...);
}
// Computes fft along all axes, those of tx::axis<...>, or as many of the last ones as extents are given: fftn<4, 8>(x).
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto fftn(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::fft, 0, N...>(x, options...);
}
// Computes the inverse of fftn.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto ifftn(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::ifft, 0, N...>(x, options...);
}
// Computes rfft along the last axis named, and fft along the others.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto rfftn(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::rfft, 0, N...>(x, options...);
}
// Computes the inverse of rfftn.
template <std::int64_t... N, array_operand X, tx::detail::fourier_option... Options>
[[nodiscard]] constexpr auto irfftn(X const& x, Options... options) {
    return tx::detail::fourier_transform<tx::detail::fourier_way::irfft, 0, N...>(x, options...);
}
template <class Unused = void, class... A> constexpr tx::detail::failed fft(tx::detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: fft: behind x stand tx::axis<...>, tx::fft::ortho and tx::fft::forward; a number of "
                                        "elements goes into <>: tx::fft::fft<16>(x, tx::fft::ortho)");
    return {};
}
template <class Unused = void, class... A> constexpr tx::detail::failed ifft(tx::detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: ifft: behind x stand tx::axis<...>, tx::fft::ortho and tx::fft::forward; a number "
                                        "of elements goes into <>: tx::fft::ifft<16>(x, tx::fft::ortho)");
    return {};
}
template <class Unused = void, class... A> constexpr tx::detail::failed rfft(tx::detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: rfft: behind x stand tx::axis<...>, tx::fft::ortho and tx::fft::forward; a number "
                                        "of elements goes into <>: tx::fft::rfft<16>(x, tx::fft::ortho)");
    return {};
}
template <class Unused = void, class... A> constexpr tx::detail::failed irfft(tx::detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: irfft: behind x stand tx::axis<...>, tx::fft::ortho and tx::fft::forward; a number "
                                        "of elements goes into <>: tx::fft::irfft<16>(x, tx::fft::ortho)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace fft
} // namespace tx
