// Functions of two arguments around division and sign.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::simd::math {

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> copysign(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::copysign(a, b); }, x, y);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> fmod(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::fmod(a, b); }, x, y);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> remainder(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::remainder(a, b); }, x, y);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> floor_divide(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::floor_divide(a, b); }, x, y);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> logaddexp(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return per_lane([](T a, T b) { return math::logaddexp(a, b); }, x, y);
}

} // namespace tx::simd::math
