// Pointwise ops on dual numbers, through their own <cmath>: independent of tx::grad and its rules. Of equal operands the extremes
// take the first.
#pragma once

#include <tracexpr/backends/math/scalar.hpp>
#include <tracexpr/base/dual.hpp>
#include <tracexpr/base/error.hpp>
#include <tracexpr/graph/op.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class T> TRACEXPR_HD inline T logistic(T x) {
    if constexpr (tx::detail::is_dual_number<T>) {
        auto const y = logistic(x.value);
        return {y, x.tangent * (y * logistic(-x.value))};
    } else return math::sigmoid(x);
}
template <class T> TRACEXPR_HD inline T log_of_sum(T a, T b) {
    if constexpr (tx::detail::is_dual_number<T>)
        return {log_of_sum(a.value, b.value), a.tangent * logistic(a.value - b.value) + b.tangent * logistic(b.value - a.value)};
    else return math::logaddexp(a, b);
}

template <class T> TRACEXPR_HD inline T floored_rest(T a, T b) {
    if constexpr (tx::detail::is_dual_number<T>) return tx::detail::remainder_of(a, b, floored_rest(a.value, b.value));
    else return math::remainder(a, b);
}

template <op Code, class D> TRACEXPR_HD inline auto dual_op(D const& x) {
    using T = typename D::value_type;
    if constexpr (Code == op::isnan) return isnan(x);
    else if constexpr (Code == op::isinf) return isinf(x);
    else if constexpr (Code == op::isfinite) return isfinite(x);
    else if constexpr (Code == op::negative) return -x;
    else if constexpr (Code == op::absolute) return abs(x);
    else if constexpr (Code == op::sign) return x != x ? x : D((x > T(0)) - (x < T(0)));
    else if constexpr (Code == op::square) return x * x;
    else if constexpr (Code == op::reciprocal) return D(1) / x;
    else if constexpr (Code == op::rsqrt) return D(1) / sqrt(x);
    else if constexpr (Code == op::sigmoid) return logistic(x);
    else if constexpr (Code == op::round) return nearbyint(x);
    else if constexpr (Code == op::sqrt) return sqrt(x);
    else if constexpr (Code == op::cbrt) return cbrt(x);
    else if constexpr (Code == op::exp) return exp(x);
    else if constexpr (Code == op::exp2) return exp2(x);
    else if constexpr (Code == op::expm1) return expm1(x);
    else if constexpr (Code == op::log) return log(x);
    else if constexpr (Code == op::log2) return log2(x);
    else if constexpr (Code == op::log10) return log10(x);
    else if constexpr (Code == op::log1p) return log1p(x);
    else if constexpr (Code == op::sin) return sin(x);
    else if constexpr (Code == op::cos) return cos(x);
    else if constexpr (Code == op::tan) return tan(x);
    else if constexpr (Code == op::asin) return asin(x);
    else if constexpr (Code == op::acos) return acos(x);
    else if constexpr (Code == op::atan) return atan(x);
    else if constexpr (Code == op::sinh) return sinh(x);
    else if constexpr (Code == op::cosh) return cosh(x);
    else if constexpr (Code == op::tanh) return tanh(x);
    else if constexpr (Code == op::asinh) return asinh(x);
    else if constexpr (Code == op::acosh) return acosh(x);
    else if constexpr (Code == op::atanh) return atanh(x);
    else if constexpr (Code == op::erf) return erf(x);
    else if constexpr (Code == op::erfc) return erfc(x);
    else if constexpr (Code == op::lgamma) return lgamma(x);
    else if constexpr (Code == op::floor) return floor(x);
    else if constexpr (Code == op::ceil) return ceil(x);
    else if constexpr (Code == op::trunc) return trunc(x);
    else static_assert(always_false<D>, "tx: an op without a kernel for dual numbers");
}
template <op Code, class D> TRACEXPR_HD inline D dual_op(D const& a, D const& b) {
    if constexpr (Code == op::add) return a + b;
    else if constexpr (Code == op::subtract) return a - b;
    else if constexpr (Code == op::multiply) return a * b;
    else if constexpr (Code == op::divide) return a / b;
    else if constexpr (Code == op::floor_divide) return D(math::floor_divide(primal(a), primal(b)));
    else if constexpr (Code == op::remainder) return floored_rest(a, b);
    else if constexpr (Code == op::fmod) return fmod(a, b);
    else if constexpr (Code == op::power) return pow(a, b);
    else if constexpr (Code == op::atan2) return atan2(a, b);
    else if constexpr (Code == op::hypot) return hypot(a, b);
    else if constexpr (Code == op::logaddexp) return log_of_sum(a, b);
    else if constexpr (Code == op::copysign) return copysign(a, b);
    else if constexpr (Code == op::polygamma) return polygamma(static_cast<int>(primal(a)), b);
    else if constexpr (Code == op::maximum) return a >= b || a != a ? a : b;
    else if constexpr (Code == op::minimum) return a <= b || a != a ? a : b;
    else static_assert(always_false<D>, "tx: an op without a kernel for dual numbers");
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
