// Hyperbolic functions and their inverses.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::simd::math {

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sinh(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::sinh(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> cosh(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::cosh(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> tanh(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::tanh(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> asinh(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::asinh(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> acosh(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::acosh(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> atanh(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::atanh(a); }, x);
}

} // namespace tx::simd::math
