// This file computes running sums, products and extremes along one axis of a row-major array, seen as (outer, n, inner) around
// the axis of length n: element (o, i, j) is data[(o * n + i) * inner + j].
#pragma once

#include <tracexpr/backends/calls/scan_rows.hpp>
#include <tracexpr/backends/vectors/known_length.hpp>
#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

// Each combines the elements along the middle axis of (outer, n, inner). `out` may be `in`. From a NaN on all results are NaN.
// Integers wrap; bool sums are "or".
template <class T, class Arch = simd::default_arch>
void cumsum(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    using U = wrapping<T>;
    detail::scan<detail::plus, Arch>(outer, n, inner, reinterpret_cast<U const*>(in), reinterpret_cast<U*>(out));
}
template <class T, class Arch = simd::default_arch>
void cumprod(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    using U = wrapping<T>;
    detail::scan<detail::times, Arch>(outer, n, inner, reinterpret_cast<U const*>(in), reinterpret_cast<U*>(out));
}
template <class T, class Arch = simd::default_arch>
void cummax(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    detail::scan<detail::maximum_or_nan, Arch>(outer, n, inner, in, out);
}
template <class T, class Arch = simd::default_arch>
void cummin(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    detail::scan<detail::minimum_or_nan, Arch>(outer, n, inner, in, out);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
