// Every pointwise op on single elements of any dtype, with NumPy's semantics. GPU kernels run these; CPU kernels where a dtype
// has no vector form. half and bfloat16 compute in float.
#pragma once

#include <tracexpr/backends/math/scalar.hpp>
#include <tracexpr/backends/vectors/dual_ops.hpp>
#include <tracexpr/base/element.hpp>
#include <tracexpr/base/error.hpp>
#include <tracexpr/graph/op.hpp>

#include <cmath>
#include <limits>

namespace tx::inline TRACEXPR_TARGET::simd {
namespace detail {

template <class T> inline constexpr bool is_small_float = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T> inline constexpr bool is_std_complex = false;
template <class T> inline constexpr bool is_std_complex<std::complex<T>> = true;

template <class T> TRACEXPR_HD inline T power_of(T base, T exponent) {
    if constexpr (std::is_integral_v<T>) {
        // By squaring, wrapping as unsigned. A negative exponent leaves 1 / base cut to a whole number; 0 for a base of 0.
        using wide = std::uint64_t;
        if constexpr (std::is_signed_v<T>)
            if (exponent < 0) return base == 1 ? T(1) : base == -1 ? (exponent % 2 ? T(-1) : T(1)) : T(0);
        wide result = 1, factor = static_cast<wide>(base);
        for (wide rest = static_cast<wide>(exponent); rest; rest >>= 1, factor *= factor)
            if (rest & 1) result *= factor;
        return static_cast<T>(result);
    } else {
        return math::pow(base, exponent);
    }
}

template <class T> TRACEXPR_HD inline T floor_quotient(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return math::floor_divide(a, b);
    } else {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return static_cast<T>(0 - static_cast<std::uint64_t>(a)); // the smallest one wraps
            T const q = static_cast<T>(a / b);
            return static_cast<T>(q - ((a % b != 0) && ((a < 0) != (b < 0))));
        } else {
            return static_cast<T>(a / b);
        }
    }
}
template <class T> TRACEXPR_HD inline T truncated_remainder(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return math::fmod(a, b);
    else if (b == 0) return 0;
    else if constexpr (std::is_signed_v<T>) return b == -1 ? T(0) : static_cast<T>(a % b);
    else return static_cast<T>(a % b);
}
template <class T> TRACEXPR_HD inline T floored_remainder(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return math::remainder(a, b);
    } else {
        T const r = truncated_remainder(a, b);
        if constexpr (std::is_signed_v<T>) return r != 0 && ((r < 0) != (b < 0)) ? static_cast<T>(r + b) : r;
        else return r;
    }
}
template <class T> TRACEXPR_HD inline T shifted_left(T a, T by) {
    std::uint64_t const count = static_cast<std::uint64_t>(by);
    return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<std::uint64_t>(a) << count);
}
template <class T> TRACEXPR_HD inline T shifted_right(T a, T by) {
    std::uint64_t const count = static_cast<std::uint64_t>(by);
    if (count >= 8 * sizeof(T)) return std::is_signed_v<T> && a < T(0) ? static_cast<T>(-1) : T(0);
    return static_cast<T>(a >> count);
}
template <class T> TRACEXPR_HD inline T wrapped(std::uint64_t bits) { return static_cast<T>(bits); }

template <op Code, class T> TRACEXPR_HD inline auto inexact_op(T x) {
    if constexpr (Code == op::sqrt) {
        using std::sqrt;
        return sqrt(x);
    } else if constexpr (Code == op::exp) return is_std_complex<T> ? T(std::exp(x)) : T(std::exp(x));
    else if constexpr (Code == op::log) return T(std::log(x));
    else if constexpr (Code == op::log10) return T(std::log10(x));
    else if constexpr (Code == op::sin) return T(std::sin(x));
    else if constexpr (Code == op::cos) return T(std::cos(x));
    else if constexpr (Code == op::tan) return T(std::tan(x));
    else if constexpr (Code == op::asin) return T(std::asin(x));
    else if constexpr (Code == op::acos) return T(std::acos(x));
    else if constexpr (Code == op::atan) return T(std::atan(x));
    else if constexpr (Code == op::sinh) return T(std::sinh(x));
    else if constexpr (Code == op::cosh) return T(std::cosh(x));
    else if constexpr (Code == op::tanh) return T(std::tanh(x));
    else if constexpr (Code == op::asinh) return T(std::asinh(x));
    else if constexpr (Code == op::acosh) return T(std::acosh(x));
    else if constexpr (Code == op::atanh) return T(std::atanh(x));
    else if constexpr (Code == op::exp2) return math::exp2(x);
    else if constexpr (Code == op::expm1) return math::expm1(x);
    else if constexpr (Code == op::log2) return math::log2(x);
    else if constexpr (Code == op::log1p) return math::log1p(x);
    else if constexpr (Code == op::erf) return math::erf(x);
    else if constexpr (Code == op::erfc) return math::erfc(x);
    else if constexpr (Code == op::lgamma) return math::lgamma(x);
    else if constexpr (Code == op::sigmoid) return math::sigmoid(x);
    else if constexpr (Code == op::cbrt) return math::cbrt(x);
    else if constexpr (Code == op::rsqrt) return math::rsqrt(x);
    else if constexpr (Code == op::floor) return std::floor(x);
    else if constexpr (Code == op::ceil) return std::ceil(x);
    else if constexpr (Code == op::round) return std::nearbyint(x);
    else if constexpr (Code == op::trunc) return std::trunc(x);
    else static_assert(always_false<T>, "tx: an op without a scalar kernel");
}

template <op Code, class T> TRACEXPR_HD inline auto unary_op(T x) {
    TRACEXPR_FUSES
    if constexpr (tx::detail::is_dual_number<T>) return dual_op<Code>(x);
    else if constexpr (Code == op::logical_not) return !x;
    else if constexpr (Code == op::real) return x.real();
    else if constexpr (Code == op::imag) return x.imag();
    else if constexpr (Code == op::conj) return T(std::conj(x));
    else if constexpr (Code == op::isnan) {
        if constexpr (is_std_complex<T>) return std::isnan(x.real()) || std::isnan(x.imag());
        else return x != x;
    } else if constexpr (Code == op::isinf) {
        if constexpr (is_std_complex<T>) return std::isinf(x.real()) || std::isinf(x.imag());
        else if constexpr (std::is_floating_point_v<T>) return std::isinf(x);
        else return false;
    } else if constexpr (Code == op::isfinite) {
        if constexpr (is_std_complex<T>) return std::isfinite(x.real()) && std::isfinite(x.imag());
        else if constexpr (std::is_floating_point_v<T>) return std::isfinite(x);
        else return true;
    } else if constexpr (Code == op::reciprocal) {
        return T(1) / x;
    } else if constexpr (is_std_complex<T>) {
        if constexpr (Code == op::absolute) return std::abs(x);
        else if constexpr (Code == op::negative) return -x;
        else if constexpr (Code == op::square) return x * x;
        else return inexact_op<Code>(x);
    } else if constexpr (std::is_integral_v<T>) {
        if constexpr (Code == op::negative) return wrapped<T>(0 - static_cast<std::uint64_t>(x));
        else if constexpr (Code == op::absolute) return x < T(0) ? wrapped<T>(0 - static_cast<std::uint64_t>(x)) : x;
        else if constexpr (Code == op::sign) return static_cast<T>((x > T(0)) - (x < T(0)));
        else if constexpr (Code == op::square) return wrapped<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x));
        else if constexpr (Code == op::bitwise_not && std::is_same_v<T, bool>) return !x;
        else if constexpr (Code == op::bitwise_not) return static_cast<T>(~x);
        else return x; // rounding an integer
    } else {
        if constexpr (Code == op::negative) return -x;
        else if constexpr (Code == op::absolute) return std::fabs(x);
        else if constexpr (Code == op::sign) return x != x ? x : static_cast<T>((x > T(0)) - (x < T(0)));
        else if constexpr (Code == op::square) return x * x;
        else return inexact_op<Code>(x);
    }
}

template <op Code, class T> TRACEXPR_HD inline auto binary_op(T a, T b) {
    TRACEXPR_FUSES
    constexpr bool integral = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    if constexpr (Code == op::equal) return a == b;
    else if constexpr (Code == op::not_equal) return !(a == b);
    else if constexpr (Code == op::less) return a < b;
    else if constexpr (Code == op::less_equal) return a <= b;
    else if constexpr (Code == op::greater) return a > b;
    else if constexpr (Code == op::greater_equal) return a >= b;
    else if constexpr (Code == op::logical_and) return a && b;
    else if constexpr (Code == op::logical_or) return a || b;
    else if constexpr (Code == op::logical_xor) return a != b;
    else if constexpr (Code == op::string_add) return a + b;
    else if constexpr (std::is_same_v<T, bool>) {
        if constexpr (Code == op::add || Code == op::bitwise_or || Code == op::maximum) return a || b;
        else if constexpr (Code == op::multiply || Code == op::bitwise_and || Code == op::minimum) return a && b;
        else return a != b; // bitwise_xor
    } else if constexpr (tx::detail::is_dual_number<T>) {
        return dual_op<Code>(a, b);
    } else if constexpr (Code == op::add) {
        if constexpr (integral) return wrapped<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else return a + b;
    } else if constexpr (Code == op::subtract) {
        if constexpr (integral) return wrapped<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
        else return a - b;
    } else if constexpr (Code == op::multiply) {
        if constexpr (integral) return wrapped<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        else return a * b;
    } else if constexpr (Code == op::divide) return a / b;
    else if constexpr (Code == op::floor_divide) return floor_quotient(a, b);
    else if constexpr (Code == op::remainder) return floored_remainder(a, b);
    else if constexpr (Code == op::fmod) return truncated_remainder(a, b);
    else if constexpr (Code == op::power && is_std_complex<T>)
        return b == T(0) ? T(1) : a == T(0) && b.real() > 0 ? T(0) : T(std::pow(a, b)); // std::pow takes a logarithm
    else if constexpr (Code == op::power) return power_of(a, b);
    else if constexpr (Code == op::atan2) return math::atan2(a, b);
    else if constexpr (Code == op::hypot) return math::hypot(a, b);
    else if constexpr (Code == op::logaddexp) return math::logaddexp(a, b);
    else if constexpr (Code == op::copysign) return math::copysign(a, b);
    else if constexpr (Code == op::polygamma) return math::polygamma(a, b);
    else if constexpr (Code == op::maximum) return a > b || a != a ? a : b;
    else if constexpr (Code == op::minimum) return a < b || a != a ? a : b;
    else if constexpr (Code == op::bitwise_and) return static_cast<T>(a & b);
    else if constexpr (Code == op::bitwise_or) return static_cast<T>(a | b);
    else if constexpr (Code == op::bitwise_xor) return static_cast<T>(a ^ b);
    else if constexpr (Code == op::left_shift) return shifted_left(a, b);
    else if constexpr (Code == op::right_shift) return shifted_right(a, b);
    else static_assert(always_false<T>, "tx: an op without a scalar kernel");
}

template <class T> TRACEXPR_HD constexpr auto widened(T x) {
    if constexpr (is_small_float<T>) return x.value();
    else return x;
}
} // namespace detail

namespace detail {
template <class To, class From> TRACEXPR_HD inline To cast_number(From x) {
    if constexpr (is_std_complex<From>) {
        if constexpr (is_std_complex<To>)
            return To(static_cast<typename To::value_type>(x.real()), static_cast<typename To::value_type>(x.imag()));
        else if constexpr (std::is_same_v<To, bool>) return x != From{};
        else return cast_number<To>(x.real());
    } else if constexpr (is_std_complex<To>) {
        return To(cast_number<typename To::value_type>(x), 0);
    } else if constexpr (is_small_float<From>) {
        return cast_number<To>(x.value());
    } else if constexpr (std::is_same_v<To, bool>) {
        return x != From{};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // Out of range: the nearest end. NaN: 0.
        constexpr From low = static_cast<From>(std::numeric_limits<To>::min()),
                       high = static_cast<From>(std::numeric_limits<To>::max());
        return x != x      ? To(0)
               : x <= low  ? std::numeric_limits<To>::min()
               : x >= high ? std::numeric_limits<To>::max()
                           : static_cast<To>(x);
    } else {
        return static_cast<To>(x);
    }
}
} // namespace detail

template <class To, class From> TRACEXPR_HD inline To cast_element(From x) {
    constexpr int from_depth = dual_depth(dtype_of<From>), to_depth = dual_depth(dtype_of<To>);
    if constexpr (from_depth > to_depth) return cast_element<To>(x.value); // tangents are dropped, as imaginary parts are
    else if constexpr (from_depth < to_depth) return To(cast_element<typename To::value_type>(x));
    else if constexpr (to_depth > 0)
        return To(cast_element<typename To::value_type>(x.value), cast_element<typename To::value_type>(x.tangent));
    else return detail::cast_number<To>(x);
}

// The op on elements; the result has the dtype the registry says.
template <op Code, class... T> TRACEXPR_HD inline auto scalar_op(T... x) {
    if constexpr (Code == op::where) {
        return [](bool c, auto a, auto b) { return c ? a : b; }(x...);
    } else if constexpr ((detail::is_small_float<T> || ...)) {
        using small = std::common_type_t<T...>;
        auto const y = scalar_op<Code>(detail::widened(x)...);
        if constexpr (std::is_same_v<decltype(y), bool const>) return y;
        else return small(y);
    } else if constexpr (Code == op::fma) {
        return [](auto a, auto b, auto c) {
            if constexpr (std::is_floating_point_v<decltype(a)>) return std::fma(a, b, c);
            else return detail::binary_op<op::add>(detail::binary_op<op::multiply>(a, b), c);
        }(x...);
    } else if constexpr (sizeof...(T) == 1) {
        return detail::unary_op<Code>(x...);
    } else {
        return detail::binary_op<Code>(x...);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
