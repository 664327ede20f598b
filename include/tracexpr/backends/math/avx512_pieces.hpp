// This file evaluates functions by many short polynomials with AVX-512, which looks up each coefficient of all lanes by one
// permutation.
#pragma once

#include <tracexpr/backends/math/common.hpp>

#if XSIMD_WITH_AVX512F

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 // see xsimd_compat.hpp
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tx::inline TRACEXPR_TARGET::simd::math::prim {

// `pieces` is a function as polynomials in x - center. The coefficients of a lane are looked up by the lowest bits of its index,
// each by one permutation of a table that fills one register or two.
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
// Evaluates the polynomial's terms from First on. The last steps, whose rounding counts most, are Horner's.
template <std::size_t First, class T, avx512 Arch, std::size_t Pieces, std::size_t Terms> TRACEXPR_INLINE xsimd::batch<T, Arch>
piece(pieces<T, Pieces, Terms> const& table, xsimd::batch<T, Arch> const& distance, __m512i index) {
    auto const coefficient = [&table, index]<std::size_t I>(index_constant<I>) {
        return xsimd::batch<T, Arch>(look_up<Arch>(table.coefficients[I], index));
    };
    if constexpr (First > 2 && Terms > 8) return estrin<First, Terms>(distance, coefficient);
    xsimd::batch<T, Arch> const lowest = coefficient(index_constant<First>{});
    if constexpr (First + 1 == Terms) return lowest;
    else return prim::fma(piece<First + 1>(table, distance, index), distance, lowest);
}
// Takes bits of x, from the lowest bit of the exponent to the `Upper` highest of the mantissa: an index that divides each binade
// evenly.
template <int Upper, avx512 Arch> TRACEXPR_INLINE __m512i binade_index(f32<Arch> const& x) {
    return _mm512_srli_epi32(_mm512_castps_si512(x), 23 - Upper);
}
template <int Upper, avx512 Arch> TRACEXPR_INLINE __m512i binade_index(f64<Arch> const& x) {
    return _mm512_srli_epi64(_mm512_castpd_si512(x), 52 - Upper);
}
// Returns the integer nearest to x, for x below 2^22, as an index.
template <avx512 Arch> TRACEXPR_INLINE __m512i even_index(f32<Arch> const& x) { return _mm512_cvtps_epi32(x); }
template <avx512 Arch> TRACEXPR_INLINE __m512i even_index(f64<Arch> const& x) {
    return _mm512_castpd_si512(_mm512_add_pd(x, _mm512_set1_pd(0x1.8p52)));
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math::prim

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif
#endif
