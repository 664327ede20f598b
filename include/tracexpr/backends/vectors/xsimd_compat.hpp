// This file includes xsimd and hides the differences between its versions: Debian's 8.1 names some calls differently from 9 and
// later. No other file needs to know.
#pragma once

#include <tracexpr/base/config.hpp>

#include <type_traits>

// The AVX-512 intrinsics of g++ 12 pass an operand that they declare as `__m512 y = y`, and warn of it in the code they are
// inlined into (GCC bug 105593, fixed in 13). A pragma around the functions on the way silences it.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

namespace tx::inline TRACEXPR_TARGET::simd {

// This is the architecture that kernels are compiled for. On AArch64 it is NEON, even if the flags give SVE vectors a width, as
// those are not the compiler's vector types.
#if defined(__aarch64__)
using default_arch = xsimd::neon64;
#else
using default_arch = xsimd::default_arch;
#endif

// Returns the same bits as lanes of type To. xsimd 8 takes the resulting batch as the template argument, 10 and later its
// element.
template <class To, class From, class Arch>
TRACEXPR_INLINE xsimd::batch<To, Arch> bit_cast_lanes(xsimd::batch<From, Arch> const& x) {
    using result = xsimd::batch<To, Arch>;
    if constexpr (std::is_same_v<decltype(xsimd::bitwise_cast<To>(x)), result>) return xsimd::bitwise_cast<To>(x);
    else return xsimd::bitwise_cast<result>(x);
}

// Marks the lanes where exactly one of the masks is set. The ^ of xsimd 8 joins AVX-512 masks by "or" instead.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch_bool<T, Arch> exclusive_or(xsimd::batch_bool<T, Arch> const& a,
                                                                                       xsimd::batch_bool<T, Arch> const& b) {
    return (a & (!b)) | ((!a) & b);
}

// Returns the larger (smaller) lanes; on x86 the second where they are equal or either is NaN, as its instructions do. xsimd 14
// swaps the operands.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> batch_max(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
#if XSIMD_VERSION_MAJOR >= 14
    return xsimd::max(b, a);
#else
    return xsimd::max(a, b);
#endif
}
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> batch_min(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
#if XSIMD_VERSION_MAJOR >= 14
    return xsimd::min(b, a);
#else
    return xsimd::min(a, b);
#endif
}

} // namespace tx::inline TRACEXPR_TARGET::simd
