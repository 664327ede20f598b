// This file computes with integers as NumPy does where C++ leaves the result open, in the compiler as in a run: results wrap,
// dividing by 0 gives 0, and quotients are rounded down.
#pragma once

#include <tracexpr/base/config.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tx::integers {

template <std::integral T> TRACEXPR_HD constexpr T fmod(T a, T b) {
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0; // C++ has no quotient of the least number by -1.
    return b == 0 ? T(0) : static_cast<T>(a % b);
}
template <std::integral T> TRACEXPR_HD constexpr T remainder(T a, T b) {
    T const rest = integers::fmod(a, b);
    if constexpr (std::is_signed_v<T>)
        if (rest != 0 && (rest < 0) != (b < 0)) return static_cast<T>(rest + b);
    return rest;
}
template <std::integral T> TRACEXPR_HD constexpr T floor_divide(T a, T b) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
        if (b == -1) return static_cast<T>(0 - static_cast<std::uint64_t>(a));
        return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
    } else {
        return static_cast<T>(a / b);
    }
}
// Computes a power by squaring. For a negative exponent it gives 1 / base cut to a whole number, and 0 for a base of 0.
template <std::integral T> TRACEXPR_HD constexpr T pow(T base, T exponent) {
    if constexpr (std::is_signed_v<T>)
        if (exponent < 0) return base == 1 ? T(1) : base == -1 ? (exponent % 2 ? T(-1) : T(1)) : T(0);
    std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
    for (auto rest = static_cast<std::uint64_t>(exponent); rest; rest >>= 1, factor *= factor)
        if (rest & 1) result *= factor;
    return static_cast<T>(result);
}
// Shifts to the left; a count that is the width or more, or negative, leaves 0. A shift to the right by such a count leaves only
// the sign.
template <std::integral T> TRACEXPR_HD constexpr T left_shift(T a, T by) {
    auto const count = static_cast<std::uint64_t>(by);
    return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<std::uint64_t>(a) << count);
}
template <std::integral T> TRACEXPR_HD constexpr T right_shift(T a, T by) {
    auto const count = static_cast<std::uint64_t>(by);
    if (count < 8 * sizeof(T)) return static_cast<T>(a >> count);
    if constexpr (std::is_signed_v<T>) return a < 0 ? T(-1) : T(0);
    else return 0;
}
// These count bits in the type's width; for 0 all of them are leading and trailing zeros. (Device code lacks some of std's
// functions: nvcc leaves out the results of __builtin_ctz.)
template <std::integral T> TRACEXPR_HD constexpr T population_count(T a) {
#if defined(__CUDA_ARCH__)
    return static_cast<T>(__popcll(static_cast<std::make_unsigned_t<T>>(a)));
#else
    return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
#endif
}
template <std::integral T> TRACEXPR_HD constexpr T count_leading_zeros(T a) {
#if defined(__CUDA_ARCH__)
    auto const bits = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(a));
    return static_cast<T>(__clzll(static_cast<long long>(bits)) - 64 + 8 * static_cast<int>(sizeof(T)));
#else
    return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
#endif
}
template <std::integral T> TRACEXPR_HD constexpr T count_trailing_zeros(T a) {
#if defined(__CUDA_ARCH__)
    auto const bits = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(a));
    return static_cast<T>(bits == 0 ? 8 * static_cast<int>(sizeof(T)) : __ffsll(static_cast<long long>(bits)) - 1);
#else
    return static_cast<T>(std::countr_zero(static_cast<std::make_unsigned_t<T>>(a)));
#endif
}

} // namespace tx::integers
