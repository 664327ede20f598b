// This file does what single instructions do to batches, under the names that the functions of single numbers have. Without
// instructions for floor, ceil and trunc xsimd converts to integers, which is undefined for numbers that no integer type holds;
// the functions here round to the nearest integer and correct the result.
#pragma once

#include <tracexpr/backends/math/primitives.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {

template <class Arch> inline constexpr bool has_rounding =
    std::is_base_of_v<xsimd::sse4_1, Arch> || std::is_base_of_v<xsimd::avx, Arch> || std::is_base_of_v<xsimd::avx512f, Arch> ||
    std::is_base_of_v<xsimd::neon64, Arch>;

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> abs(xsimd::batch<T, Arch> const& x) { return xsimd::abs(x); }
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sqrt(xsimd::batch<T, Arch> const& x) {
    return prim::sqrt(x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
fma(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b, xsimd::batch<T, Arch> const& c) {
    return prim::fma(a, b, c);
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> nearbyint(xsimd::batch<T, Arch> const& x) {
    return xsimd::nearbyint(x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> floor(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    if constexpr (has_rounding<Arch>) {
        return xsimd::floor(x);
    } else {
        batch const nearest = xsimd::nearbyint(x);
        return xsimd::select(nearest > x, nearest - batch(1), nearest);
    }
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> ceil(xsimd::batch<T, Arch> const& x) {
    if constexpr (has_rounding<Arch>) return xsimd::ceil(x);
    else return -math::floor(-x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> trunc(xsimd::batch<T, Arch> const& x) {
    if constexpr (has_rounding<Arch>) return xsimd::trunc(x);
    else return prim::with_sign_of(math::floor(xsimd::abs(x)), x);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math
