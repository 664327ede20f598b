// Running sums and the like, and gathering, along one axis of a row-major array. An array is seen as
// (outer, n, inner) around the axis of length n: element (o, i, j) is data[(o * n + i) * inner + j].
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

template <class T> constexpr bool is_nan(T const& value) {
    if constexpr (std::is_integral_v<T>) return false;
    else return !(value == value);
}

// Sums and products of signed integers wrap, as NumPy's do.
template <class T, class F> constexpr T wrapped(T a, T b, F f) {
    if constexpr (std::is_same_v<T, bool>) return f(int(a), int(b)) != 0;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    else return f(a, b);
}

// What a scan does with two elements, and with two vectors of them.
struct plus {
    template <class T> static constexpr T scalar(T a, T b) {
        return wrapped(a, b, [](auto x, auto y) { return x + y; });
    }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return a + b; }
};
struct times {
    template <class T> static constexpr T scalar(T a, T b) {
        return wrapped(a, b, [](auto x, auto y) { return x * y; });
    }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return a * b; }
};
// NumPy's maximum and minimum: a NaN among the two is the result, the first one's if both are.
struct maximum_or_nan {
    template <class T> static constexpr T scalar(T a, T b) { return a >= b || is_nan(a) ? a : b; }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return ((a >= b) | (a != a)) ? a : b; }
};
struct minimum_or_nan {
    template <class T> static constexpr T scalar(T a, T b) { return a <= b || is_nan(a) ? a : b; }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return ((a <= b) | (a != a)) ? a : b; }
};

// out[j] = before[j] f in[j], an element or a vector at a time: the operands may be one array, so the compiler would not by
// itself.
template <class F, class Arch, class T> void combine_rows(std::int64_t count, T const* before, T const* in, T* out) {
    std::int64_t j = 0;
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        constexpr int w = native_lanes<T, Arch>;
        for (; j + w <= count; j += w) store<w>(out + j, F::vector(load<w>(before + j), load<w>(in + j)));
    }
    for (; j < count; ++j) out[j] = F::scalar(before[j], in[j]);
}

// out(o, i, j) = in(o, 0, j) f in(o, 1, j) f ... f in(o, i, j). `out` may be `in`.
template <class F, class Arch, class T> void scan(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    if (n == 0 || inner == 0) return;
    for (std::int64_t o = 0; o < outer; ++o, in += n * inner, out += n * inner) {
        if (inner == 1) {
            T running = out[0] = in[0];
            for (std::int64_t i = 1; i < n; ++i) out[i] = running = F::scalar(running, in[i]);
        } else {
            std::copy(in, in + inner, out);
            for (std::int64_t i = 1; i < n; ++i)
                combine_rows<F, Arch>(inner, out + (i - 1) * inner, in + i * inner, out + i * inner);
        }
    }
}
} // namespace detail

// Along the middle axis of (outer, n, inner). `out` may be `in`. A NaN stays from where it is met. Integers wrap; bool sums by
// "or".
template <class T, class Arch = xsimd::default_arch>
void cumsum(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    using U = wrapping<T>;
    detail::scan<detail::plus, Arch>(outer, n, inner, reinterpret_cast<U const*>(in), reinterpret_cast<U*>(out));
}
template <class T, class Arch = xsimd::default_arch>
void cumprod(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    using U = wrapping<T>;
    detail::scan<detail::times, Arch>(outer, n, inner, reinterpret_cast<U const*>(in), reinterpret_cast<U*>(out));
}
template <class T, class Arch = xsimd::default_arch>
void cummax(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    detail::scan<detail::maximum_or_nan, Arch>(outer, n, inner, in, out);
}
template <class T, class Arch = xsimd::default_arch>
void cummin(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    detail::scan<detail::minimum_or_nan, Arch>(outer, n, inner, in, out);
}

// Calls copy(n), n as a constant where that is short: copies of a length that the compiler knows take no call.
template <class Copy> void with_length(std::int64_t n, Copy copy) {
    auto const constant = [&]<std::int64_t N>(std::integral_constant<std::int64_t, N> known) { copy(known); };
    switch (n) {
    case 1: return constant(std::integral_constant<std::int64_t, 1>{});
    case 2: return constant(std::integral_constant<std::int64_t, 2>{});
    case 3: return constant(std::integral_constant<std::int64_t, 3>{});
    case 4: return constant(std::integral_constant<std::int64_t, 4>{});
    default: return copy(n);
    }
}
template <class T> TRACEXPR_INLINE void copy_elements(T const* from, std::int64_t count, T* to) {
    std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
}

// Indices into an axis of n elements; negative ones count from the end. Throws shape_error for one outside [-n, n).
template <std::integral Index>
void check_indices(Index const* indices, std::int64_t count, std::int64_t n, int axis, char const* function) {
    for (std::int64_t i = 0; i < count; ++i) {
        bool const is_negative = std::is_signed_v<Index> && indices[i] < Index(0);
        std::int64_t const at = static_cast<std::int64_t>(indices[i]) + (is_negative ? n : 0);
        if (at < 0 || at >= n)
            throw shape_error("tx: " + std::string(function) + ": index " + std::to_string(indices[i]) +
                              " is out of bounds for axis " + std::to_string(axis) + " with size " + std::to_string(n));
    }
}
// Where a checked index points to.
template <std::integral Index> std::int64_t position(Index index, std::int64_t n) {
    auto const at = static_cast<std::int64_t>(index);
    return at < 0 ? at + n : at;
}

// out(o, i, j) = in(o, indices[i], j): (outer, n, inner) -> (outer, count, inner). Throws shape_error, before it writes, for an
// index outside
// [-n, n); `axis` and `function` are for its message. No overlap.
template <class T, std::integral Index> void gather(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in,
                                                    std::int64_t count, Index const* indices, T* out, int axis = 0,
                                                    char const* function = "take") {
    check_indices(indices, count, n, axis, function);
    for (std::int64_t o = 0; o < outer; ++o, in += n * inner, out += count * inner)
        with_length(inner, [&](auto length) {
            for (std::int64_t i = 0; i < count; ++i)
                copy_elements(in + position(indices[i], n) * length, length, out + i * length);
        });
}

// out(o, i, j) = in(o, indices(o, i, j), j), with `indices` and `out` of (outer, count, inner). Throws as gather does.
template <class T, std::integral Index> void take_along_axis(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in,
                                                             std::int64_t count, Index const* indices, T* out, int axis = 0) {
    check_indices(indices, outer * count * inner, n, axis, "take_along_axis");
    for (std::int64_t o = 0; o < outer; ++o, in += n * inner)
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t j = 0; j < inner; ++j) *out++ = in[position(*indices++, n) * inner + j];
}

} // namespace tx::inline TRACEXPR_TARGET::simd
