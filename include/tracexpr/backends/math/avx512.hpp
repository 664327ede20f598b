// This file holds the functions of common.hpp for which AVX-512 has instructions. common.hpp includes it; the overloads are
// chosen by Arch.
#pragma once

#if XSIMD_WITH_AVX512F

#include <tracexpr/base/config.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 // see xsimd_compat.hpp
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tx::inline TRACEXPR_TARGET::simd::math::prim {

template <class Arch> concept avx512 = std::derived_from<Arch, xsimd::avx512f>;
template <class Arch> using f32 = xsimd::batch<float, Arch>;
template <class Arch> using f64 = xsimd::batch<double, Arch>;

template <avx512 Arch> inline constexpr bool splits_any_exponent<Arch> = true;

// xsimd 8 writes these as a product and a sum, which only some compilers fuse.
template <avx512 Arch> TRACEXPR_INLINE f32<Arch> fma(f32<Arch> const& a, f32<Arch> const& b, f32<Arch> const& c) {
    return _mm512_fmadd_ps(a, b, c);
}
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> fma(f64<Arch> const& a, f64<Arch> const& b, f64<Arch> const& c) {
    return _mm512_fmadd_pd(a, b, c);
}
template <avx512 Arch> TRACEXPR_INLINE f32<Arch> fnma(f32<Arch> const& a, f32<Arch> const& b, f32<Arch> const& c) {
    return _mm512_fnmadd_ps(a, b, c);
}
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> fnma(f64<Arch> const& a, f64<Arch> const& b, f64<Arch> const& c) {
    return _mm512_fnmadd_pd(a, b, c);
}
template <avx512 Arch> TRACEXPR_INLINE f32<Arch> fms(f32<Arch> const& a, f32<Arch> const& b, f32<Arch> const& c) {
    return _mm512_fmsub_ps(a, b, c);
}
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> fms(f64<Arch> const& a, f64<Arch> const& b, f64<Arch> const& c) {
    return _mm512_fmsub_pd(a, b, c);
}

template <avx512 Arch> TRACEXPR_INLINE f32<Arch> round_even(f32<Arch> const& x) { return _mm512_roundscale_ps(x, 0); }
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> round_even(f64<Arch> const& x) { return _mm512_roundscale_pd(x, 0); }

template <class T, avx512 Arch> TRACEXPR_INLINE xsimd::batch_bool<T, Arch> is_odd(xsimd::batch<bits_of<T>, Arch> const& bits) {
    if constexpr (sizeof(T) == sizeof(float)) return _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1));
    else return _mm512_test_epi64_mask(bits, _mm512_set1_epi64(1));
}

template <class T, avx512 Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> round_product(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
    return prim::round_even(a * b);
}

template <avx512 Arch> TRACEXPR_INLINE f32<Arch> scale(f32<Arch> const& p, f32<Arch> const& n) { return _mm512_scalef_ps(p, n); }
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> scale(f64<Arch> const& p, f64<Arch> const& n) { return _mm512_scalef_pd(p, n); }
template <avx512 Arch> TRACEXPR_INLINE f32<Arch> scale_normal(f32<Arch> const& p, f32<Arch> const& n) { return scale(p, n); }
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> scale_normal(f64<Arch> const& p, f64<Arch> const& n) { return scale(p, n); }

// getexp returns the exponent for the range [1, 2), so the exponent that getmant removed is the difference of two of them.
template <avx512 Arch> TRACEXPR_INLINE binary_parts<float, Arch> split_exponent(f32<Arch> const& x) {
    __m512 const m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return {m, _mm512_sub_ps(_mm512_getexp_ps(x), _mm512_getexp_ps(m))};
}
template <avx512 Arch> TRACEXPR_INLINE binary_parts<double, Arch> split_exponent(f64<Arch> const& x) {
    __m512d const m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return {m, _mm512_sub_pd(_mm512_getexp_pd(x), _mm512_getexp_pd(m))};
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math::prim

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif
#endif
