// Includes xsimd and evens out its versions: Debian's 8.1 spells some calls otherwise than 9 and later. The only file that knows.
#pragma once

#include <tracexpr/base/config.hpp>

#include <xsimd/xsimd.hpp>

namespace tx::simd {

// The same bits as lanes of type To. xsimd 8 names the resulting batch, 10 and later its element.
template <class To, class From, class Arch>
TRACEXPR_INLINE xsimd::batch<To, Arch> bit_cast_lanes(xsimd::batch<From, Arch> const& x) {
    using result = xsimd::batch<To, Arch>;
    if constexpr (requires { result(xsimd::bitwise_cast<To>(x)); })
        return xsimd::bitwise_cast<To>(x);
    else
        return xsimd::bitwise_cast<result>(x);
}

} // namespace tx::simd
