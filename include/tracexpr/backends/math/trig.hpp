// Trigonometric functions and their inverses.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::simd::math {

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sin(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::sin(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> cos(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::cos(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> tan(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::tan(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> asin(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::asin(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> acos(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::acos(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> atan(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::atan(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> atan2(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::atan2(a, b); }, x, y);
}

} // namespace tx::simd::math
