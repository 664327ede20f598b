// Powers and roots.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::simd::math {

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> cbrt(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::cbrt(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> rsqrt(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::rsqrt(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> pow(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::pow(a, b); }, x, y);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> hypot(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::hypot(a, b); }, x, y);
}

} // namespace tx::simd::math
