// Exponentials and logarithms.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::simd::math {

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> exp(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::exp(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> exp2(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::exp2(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> expm1(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::expm1(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::log(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log2(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::log2(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log10(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::log10(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log1p(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::log1p(a); }, x);
}

} // namespace tx::simd::math
