// This file has the frequencies of a transform's coefficients, and fftshift, which puts the frequency 0 in the middle.
#pragma once

#include <tracexpr/fft/options.hpp>

#include <concepts>

namespace tx {
namespace detail {

// Gives k / (n d) for the first `count` of n coefficients, with k - n in place of k from number first_negative on.
template <class T>
tensor<T, shape<dyn>> numbered_frequencies(std::int64_t n, double d, std::int64_t count, std::int64_t first_negative) {
    if (n < 1) throw error("tx: fftfreq: n must be at least 1; given " + std::to_string(n));
    auto out = tensor<T, shape<dyn>>::uninitialized(dims{{count}, 1});
    T* const to = out.mutable_data();
    for (std::int64_t k = 0; k < count; ++k)
        to[k] = static_cast<T>(static_cast<double>(k < first_negative ? k : k - n) / (static_cast<double>(n) * d));
    return out;
}

// Gives the number of places by which fftshift moves elements forward; the inverse moves them back.
constexpr std::int64_t shifted_places(std::int64_t n, bool is_inverse) { return is_inverse ? n - n / 2 : n / 2; }
TRACEXPR_ONCE constexpr node_id record_shift(lowering& low, node_id x, int a, bool is_inverse) {
    fourier_steps steps(low);
    std::int64_t const n = low.extent(x, a);
    if (n != dyn) {
        std::int64_t const by = shifted_places(n, is_inverse);
        if (n <= 1) return x;
        node_id const parts[]{low.slice(x, a, n - by, slice_open), low.slice(x, a, 0, n - by)};
        return low.concatenate(parts, a);
    }
    // Place k reads place k + n - n / 2 for the forward shift, and k + n / 2 for the inverse, modulo n.
    node_id const extent = low.axis_size<std::int64_t>(x, a);
    node_id const half = low.append(op::floor_divide, extent, low.literal(std::int64_t{2}));
    node_id const by = is_inverse ? half : low.append(op::subtract, extent, half);
    node_id const from = low.append(op::add, low.iota_like<std::int64_t>(x, a), by);
    return steps.gather(x, a, low.append(op::remainder, from, extent), false);
}

template <bool IsInverse, int... Axes> struct shift_builder {
    static constexpr char const* called = IsInverse ? "ifftshift" : "fftshift";
    static constexpr char const* problem(builder_specs given) {
        dims const& d = given[0].shape;
        bool const fits = d.rank < 0 || are_axes(normalized_axes(d.rank, Axes...), d.rank);
        return fits ? nullptr : "axes must differ and lie within the rank of x; negative ones count from the end";
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        int const rank = low.rank(x[0]);
        return std::array<node_id, 1>{
            shifted(low, x[0], sizeof...(Axes) == 0 ? every_axis(rank) : normalized_axes(rank, Axes...))};
    }

private:
    static constexpr node_id shifted(lowering& low, node_id x, attribute_list const& axes) {
        for (std::size_t k = 0; k < axes.count; ++k) x = record_shift(low, x, static_cast<int>(axes[k]), IsInverse);
        return x;
    }
};
inline namespace TRACEXPR_CALLS {
template <bool IsInverse, class X, int... Axes> constexpr auto shift_places(X const& x, axes_t<Axes...>) {
    using builder = shift_builder<IsInverse, Axes...>;
    constexpr bool fits = built_problem<builder, X> == nullptr;
    static_assert(fits, "tx: fftshift: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(built_fn<builder>{}, x);
}
} // namespace TRACEXPR_CALLS
} // namespace detail

namespace fft {

// Gives the frequencies of fft's n coefficients for samples at a distance of d: 0, 1, ... and then the negative ones, over n d.
// Throws error if n is less than 1.
template <class T, std::integral N> [[nodiscard]] tensor<T, shape<dyn>> fftfreq(N n, double d = 1) {
    std::int64_t const all = static_cast<std::int64_t>(n);
    return tx::detail::numbered_frequencies<T>(all, d, all, (all + 1) / 2);
}
// Gives the frequencies of rfft's n / 2 + 1 coefficients for samples at a distance of d. Throws error if n is less than 1.
template <class T, std::integral N> [[nodiscard]] tensor<T, shape<dyn>> rfftfreq(N n, double d = 1) {
    std::int64_t const all = static_cast<std::int64_t>(n);
    return tx::detail::numbered_frequencies<T>(all, d, all / 2 + 1, all + 1);
}

inline namespace TRACEXPR_CALLS {

// Puts coefficients in the order of their frequencies, with 0 in the middle, along all axes or those of tx::axis<...>.
template <array_operand X, int... Axes> [[nodiscard]] constexpr auto fftshift(X const& x, axes_t<Axes...> axes) {
    return tx::detail::shift_places<false>(x, axes);
}
template <array_operand X> [[nodiscard]] constexpr auto fftshift(X const& x) {
    return tx::detail::shift_places<false>(x, axes_t<>{});
}
// Inverts fftshift, along all axes or those of tx::axis<...>.
template <array_operand X, int... Axes> [[nodiscard]] constexpr auto ifftshift(X const& x, axes_t<Axes...> axes) {
    return tx::detail::shift_places<true>(x, axes);
}
template <array_operand X> [[nodiscard]] constexpr auto ifftshift(X const& x) {
    return tx::detail::shift_places<true>(x, axes_t<>{});
}

} // namespace TRACEXPR_CALLS
} // namespace fft
} // namespace tx
