// This file holds the math functions with their exact references, and measures their errors; tests/backends/math.cpp and
// accuracy_table.cpp share it.
#pragma once

#include <tracexpr/backends/math/math.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace math_reference {

namespace math = tx::simd::math;

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
// The reference's type is precise enough that the reference counts as exact: its own error is below 0.01 units.
template <class T> using exact = std::conditional_t<sizeof(T) == 4, double, long double>;

// Gives |got - want| in units in the last place of T at `want`; infinite where a NaN, an infinity or the sign of a zero is wrong.
template <class T, class R> double error_in_ulps(T got, R want) {
    constexpr double wrong = std::numeric_limits<double>::infinity();
    if (std::isnan(want)) return std::isnan(got) ? 0 : wrong;
    if (std::isnan(got)) return wrong;
    T const rounded = static_cast<T>(want);
    if (std::isinf(rounded) && std::isinf(got)) return got == rounded ? 0 : wrong;
    if (rounded == 0 && got == 0) return std::signbit(got) == std::signbit(want) ? 0 : wrong;
    if (std::isinf(want)) return wrong;
    int const digits = std::numeric_limits<T>::digits;
    int const lowest = std::numeric_limits<T>::min_exponent - 1;
    int exponent = want == 0 ? lowest : std::max(std::ilogb(want), lowest);
    exponent = std::min(exponent, std::numeric_limits<T>::max_exponent - 1);
    R const finite = std::isinf(got) ? std::copysign(std::ldexp(R(1), std::numeric_limits<T>::max_exponent), R(got)) : R(got);
    return static_cast<double>(std::ldexp(std::fabs(finite - want), digits - 1 - exponent));
}

template <class T> T from_bits(std::uint64_t bits) { return std::bit_cast<T>(static_cast<bits_of<T>>(bits)); }

// Half of the arguments have a random bit pattern, half are spread evenly over the magnitudes where functions bend.
template <class T> T random_argument(std::mt19937_64& random) {
    if (random() & 1) return from_bits<T>(random());
    T const span = std::ldexp(T(1), static_cast<int>(random() % 14) - 3);
    return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random)) * span;
}

template <class T> std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    std::vector<T> out{T(0),  limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min(), T(0.5),
                       T(1.5)};
    for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; ++e)
        for (int step = -1; step <= 1; ++step) {
            T const power = std::ldexp(T(1), e);
            out.push_back(step == 0 ? power : std::nextafter(power, step < 0 ? T(0) : limits::max()));
        }
    for (std::size_t i = 0, n = out.size(); i < n; ++i) out.push_back(-out[i]);
    return out;
}

template <class R> R exact_lgamma(R x) {
#if defined(__GLIBC__)
    int sign = 0;
    return static_cast<R>(::lgammal_r(x, &sign));
#else
    return static_cast<R>(std::lgamma(static_cast<long double>(x)));
#endif
}
// glibc's powl treats even exponents from 2^63 on as odd ones, and errs on infinite bases with them.
template <class R> R exact_pow(R x, R y) {
    if (std::isinf(x)) return std::pow(static_cast<double>(x), static_cast<double>(y));
    R const power = std::pow(x, y);
    return std::fabs(y) > R(0x1p60) ? std::fabs(power) : power;
}
// These references call none of the scalar functions in the precision under test.
template <class R> R exact_remainder(R x, R y) {
    R const rest = std::fmod(x, y);
    return rest == 0 ? std::copysign(R(0), y) : (rest < 0) != (y < 0) ? rest + y : rest;
}
template <class R> R exact_floor_divide(R x, R y) {
    if (y == 0) return x / y;
    if (std::isinf(y) && std::isfinite(x))
        return x != 0 && std::signbit(x) != std::signbit(y) ? R(-1) : std::copysign(R(0), x / y);
    R const quotient = (x - exact_remainder(x, y)) / y;
    return quotient == 0 ? std::copysign(R(0), x / y) : std::isinf(quotient) ? quotient : std::round(quotient);
}
template <class R> R exact_logaddexp(R x, R y) {
    if (x == y) return x + std::log(R(2));
    R const difference = std::fabs(x - y);
    return std::isnan(difference) ? difference : std::fmax(x, y) + std::log1p(std::exp(-difference));
}

// Calls visit(name, f, reference) for every function of one argument, where f is for batches and the reference for exact<T>.
template <class Visit> void for_each_unary(Visit visit) {
    visit("exp", [](auto x) { return math::exp(x); }, [](auto x) { return std::exp(x); });
    visit("exp2", [](auto x) { return math::exp2(x); }, [](auto x) { return std::exp2(x); });
    visit("expm1", [](auto x) { return math::expm1(x); }, [](auto x) { return std::expm1(x); });
    visit("log", [](auto x) { return math::log(x); }, [](auto x) { return std::log(x); });
    visit("log2", [](auto x) { return math::log2(x); }, [](auto x) { return std::log2(x); });
    visit("log10", [](auto x) { return math::log10(x); }, [](auto x) { return std::log10(x); });
    visit("log1p", [](auto x) { return math::log1p(x); }, [](auto x) { return std::log1p(x); });
    visit("sin", [](auto x) { return math::sin(x); }, [](auto x) { return std::sin(x); });
    visit("cos", [](auto x) { return math::cos(x); }, [](auto x) { return std::cos(x); });
    visit("tan", [](auto x) { return math::tan(x); }, [](auto x) { return std::tan(x); });
    visit("asin", [](auto x) { return math::asin(x); }, [](auto x) { return std::asin(x); });
    visit("acos", [](auto x) { return math::acos(x); }, [](auto x) { return std::acos(x); });
    visit("atan", [](auto x) { return math::atan(x); }, [](auto x) { return std::atan(x); });
    visit("sinh", [](auto x) { return math::sinh(x); }, [](auto x) { return std::sinh(x); });
    visit("cosh", [](auto x) { return math::cosh(x); }, [](auto x) { return std::cosh(x); });
    visit("tanh", [](auto x) { return math::tanh(x); }, [](auto x) { return std::tanh(x); });
    visit("asinh", [](auto x) { return math::asinh(x); }, [](auto x) { return std::asinh(x); });
    visit("acosh", [](auto x) { return math::acosh(x); }, [](auto x) { return std::acosh(x); });
    visit("atanh", [](auto x) { return math::atanh(x); }, [](auto x) { return std::atanh(x); });
    visit("erf", [](auto x) { return math::erf(x); }, [](auto x) { return std::erf(x); });
    visit("erfc", [](auto x) { return math::erfc(x); }, [](auto x) { return std::erfc(x); });
    visit("lgamma", [](auto x) { return math::lgamma(x); }, [](auto x) { return exact_lgamma(x); });
    visit("sigmoid", [](auto x) { return math::sigmoid(x); }, [](auto x) { return 1 / (1 + std::exp(-x)); });
    visit("cbrt", [](auto x) { return math::cbrt(x); }, [](auto x) { return std::cbrt(x); });
    visit("rsqrt", [](auto x) { return math::rsqrt(x); }, [](auto x) { return 1 / std::sqrt(x); });
}
template <class Visit> void for_each_binary(Visit visit) {
    visit("atan2", [](auto y, auto x) { return math::atan2(y, x); }, [](auto y, auto x) { return std::atan2(y, x); });
    visit("pow", [](auto x, auto y) { return math::pow(x, y); }, [](auto x, auto y) { return exact_pow(x, y); });
    visit("hypot", [](auto x, auto y) { return math::hypot(x, y); }, [](auto x, auto y) { return std::hypot(x, y); });
    visit(
        "logaddexp", [](auto x, auto y) { return math::logaddexp(x, y); }, [](auto x, auto y) { return exact_logaddexp(x, y); });
    visit("fmod", [](auto x, auto y) { return math::fmod(x, y); }, [](auto x, auto y) { return std::fmod(x, y); });
    visit(
        "remainder", [](auto x, auto y) { return math::remainder(x, y); }, [](auto x, auto y) { return exact_remainder(x, y); });
    visit(
        "floor_divide", [](auto x, auto y) { return math::floor_divide(x, y); },
        [](auto x, auto y) { return exact_floor_divide(x, y); });
}

} // namespace math_reference
