// This file holds exp for AVX-512 in double precision: half of the work is a table lookup. exp_log.hpp includes it.
#pragma once

#include <tracexpr/backends/math/avx512_pieces.hpp>

#if XSIMD_WITH_AVX512F

namespace tx::inline TRACEXPR_TARGET::simd::math {
namespace detail {

// 2^(j/16), and its rounding error.
alignas(64) inline constexpr std::array sixteenth_powers{
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
alignas(64) inline constexpr std::array sixteenth_powers_low{0.0,
                                                             0x1.8a62e4adc610bp-54,
                                                             -0x1.19041b9d78a76p-55,
                                                             0x1.9b07eb6c70573p-54,
                                                             0x1.6f46ad23182e4p-55,
                                                             0x1.ada0911f09ebcp-55,
                                                             0x1.d4397afec42e2p-56,
                                                             0x1.6324c054647adp-54,
                                                             -0x1.bdd3413b26456p-54,
                                                             -0x1.41577ee04992fp-55,
                                                             0x1.6e9f156864b27p-54,
                                                             0x1.c7c46b071f2bep-56,
                                                             0x1.7a1cd345dcc81p-54,
                                                             0x1.11065895048ddp-55,
                                                             0x1.2ed02d75b3707p-55,
                                                             -0x1.e9c23179c2893p-54};

// (e^r - 1 - r) / r^2 for |r| <= ln(2)/32. The error is 2^-56.2 of e^r.
inline constexpr std::array short_exp_fit{0x1.fffffffffffb9p-2, 0x1.555555548f179p-3, 0x1.55555558fb7cbp-5, 0x1.11123b023275cp-7,
                                          0x1.6c14c75a9d303p-10};

} // namespace detail

// e^x is 2^floor(n) 2^(n - floor(n)) e^r, where n is the sixteenth nearest to x / ln 2 and r the rest, at most ln(2)/32. The last
// bits of n are the index of the table.
template <prim::avx512 Arch> TRACEXPR_INLINE xsimd::batch<double, Arch> exp(xsimd::batch<double, Arch> const& x) {
    using batch = xsimd::batch<double, Arch>;
    batch const limited = detail::clamp(x, -746.0, 710.0);
    // the unit of its last place is 1/16
    batch const shifted = prim::fma(limited, batch(detail::log2_of_e<double>), batch(0x1.8p48));
    batch const n = shifted - batch(0x1.8p48);
    batch const r = prim::fnma(n, batch(detail::ln2_low<double>), prim::fnma(n, batch(detail::ln2_high<double>), limited));
    batch const tail = polynomial(r, detail::short_exp_fit);
    batch const rise = prim::fma(r * r, tail, r);
    __m512i const index = _mm512_castpd_si512(shifted);
    batch const power = prim::look_up<Arch>(detail::sixteenth_powers, index);
    batch const low = prim::look_up<Arch>(detail::sixteenth_powers_low, index);
    return prim::scale(power + prim::fma(power, rise, low), n);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math

#endif
