// The parts of common.hpp that AVX-512 has instructions for. Included by common.hpp; overloads chosen by Arch.
#pragma once

#if XSIMD_WITH_AVX512F

#include <array>
#include <concepts>
#include <cstddef>
#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 // see xsimd_compat.hpp
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tx::simd::math::prim {

template <class Arch> concept avx512 = std::derived_from<Arch, xsimd::avx512f>;
template <class Arch> using f32 = xsimd::batch<float, Arch>;
template <class Arch> using f64 = xsimd::batch<double, Arch>;

template <avx512 Arch> inline constexpr bool splits_any_exponent<Arch> = true;

// xsimd 8 writes a product and a sum here, which only some compilers join.
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
    if constexpr (sizeof(T) == sizeof(float))
        return _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1));
    else
        return _mm512_test_epi64_mask(bits, _mm512_set1_epi64(1));
}

template <class T, avx512 Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> round_product(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
    return prim::round_even(a * b);
}

template <avx512 Arch> TRACEXPR_INLINE f32<Arch> scale(f32<Arch> const& p, f32<Arch> const& n) { return _mm512_scalef_ps(p, n); }
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> scale(f64<Arch> const& p, f64<Arch> const& n) { return _mm512_scalef_pd(p, n); }
template <avx512 Arch> TRACEXPR_INLINE f32<Arch> scale_normal(f32<Arch> const& p, f32<Arch> const& n) { return scale(p, n); }
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> scale_normal(f64<Arch> const& p, f64<Arch> const& n) { return scale(p, n); }

// A function by polynomials in x - center: the coefficients of a lane are looked up by the lowest bits of its index, each by one
// permutation of a table that fills one register or two.
template <class T, std::size_t Pieces, std::size_t Terms> struct pieces {
    alignas(64) std::array<T, Pieces> center;
    alignas(64) std::array<std::array<T, Pieces>, Terms> coefficients;
};
template <avx512 Arch> TRACEXPR_INLINE f32<Arch> look_up(std::array<float, 16> const& table, __m512i index) {
    return _mm512_permutexvar_ps(index, _mm512_load_ps(table.data()));
}
template <avx512 Arch> TRACEXPR_INLINE f32<Arch> look_up(std::array<float, 32> const& table, __m512i index) {
    return _mm512_permutex2var_ps(_mm512_load_ps(table.data()), index, _mm512_load_ps(table.data() + 16));
}
template <avx512 Arch> TRACEXPR_INLINE f64<Arch> look_up(std::array<double, 16> const& table, __m512i index) {
    return _mm512_permutex2var_pd(_mm512_load_pd(table.data()), index, _mm512_load_pd(table.data() + 8));
}
// The polynomial's coefficients from First on.
template <std::size_t First, class T, avx512 Arch, std::size_t Pieces, std::size_t Terms>
TRACEXPR_INLINE xsimd::batch<T, Arch> piece(pieces<T, Pieces, Terms> const& table, xsimd::batch<T, Arch> const& distance, __m512i index) {
    xsimd::batch<T, Arch> const coefficient = look_up<Arch>(table.coefficients[First], index);
    if constexpr (First + 1 < Terms)
        return prim::fma(piece<First + 1>(table, distance, index), distance, coefficient);
    else
        return coefficient;
}
// Bits of x from the lowest of the exponent's and `Upper` of the mantissa's: an index that divides each binade evenly.
template <int Upper, avx512 Arch> TRACEXPR_INLINE __m512i binade_index(f32<Arch> const& x) {
    return _mm512_srli_epi32(_mm512_castps_si512(x), 23 - Upper);
}
template <int Upper, avx512 Arch> TRACEXPR_INLINE __m512i binade_index(f64<Arch> const& x) {
    return _mm512_srli_epi64(_mm512_castpd_si512(x), 52 - Upper);
}
// The integer nearest to x, below 2^22, as an index.
template <avx512 Arch> TRACEXPR_INLINE __m512i even_index(f32<Arch> const& x) { return _mm512_cvtps_epi32(x); }
template <avx512 Arch> TRACEXPR_INLINE __m512i even_index(f64<Arch> const& x) {
    return _mm512_castpd_si512(_mm512_add_pd(x, _mm512_set1_pd(0x1.8p52)));
}

// getexp knows the range [1, 2), so the exponent that getmant removed is the difference of two.
template <avx512 Arch> TRACEXPR_INLINE binary_parts<float, Arch> split_exponent(f32<Arch> const& x) {
    __m512 const m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return {m, _mm512_sub_ps(_mm512_getexp_ps(x), _mm512_getexp_ps(m))};
}
template <avx512 Arch> TRACEXPR_INLINE binary_parts<double, Arch> split_exponent(f64<Arch> const& x) {
    __m512d const m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return {m, _mm512_sub_pd(_mm512_getexp_pd(x), _mm512_getexp_pd(m))};
}

} // namespace tx::simd::math::prim

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif
#endif
