// Error functions, log gamma, the logistic function.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::simd::math {

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> erf(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::erf(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> erfc(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::erfc(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> lgamma(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::lgamma(a); }, x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sigmoid(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::sigmoid(a); }, x);
}

} // namespace tx::simd::math
