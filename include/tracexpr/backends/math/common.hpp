// This file holds what the transcendental kernels are made of: exact products and sums, polynomials, calls per lane.
#pragma once

#include <tracexpr/backends/math/primitives.hpp>
#include <tracexpr/backends/math/scalar.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd::math {

// A number in two parts: its rounded value, and the rounding error.
template <class T, class Arch> struct double_batch {
    xsimd::batch<T, Arch> high, low;
};
// a * b in two parts. Without FMA the result is not valid for factors whose upper parts round to more than the largest number.
template <class T, class Arch>
TRACEXPR_INLINE double_batch<T, Arch> exact_product(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
    using batch = xsimd::batch<T, Arch>;
    batch const product = prim::rounded(a * b);
    if constexpr (has_fma<Arch>) {
        return {product, prim::fms(a, b, product)};
    } else {
        // Dekker, 1971: products of half-length parts are exact; with a mantissa of odd length they are so only if the upper part
        // is rounded.
        constexpr bits_of<T> unit = bits_of<T>(1) << (mantissa_bits<T> / 2 + 1);
        xsimd::batch<bits_of<T>, Arch> const half(unit / 2), upper(~(unit - 1));
        batch const a_high = prim::from_bits<T, Arch>((prim::to_bits(a) + half) & upper), a_low = a - a_high;
        batch const b_high = prim::from_bits<T, Arch>((prim::to_bits(b) + half) & upper), b_low = b - b_high;
        return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
    }
}

// a + b in two parts, whichever of them is larger (Knuth, 1969).
template <class T, class Arch>
TRACEXPR_INLINE double_batch<T, Arch> exact_sum(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
    xsimd::batch<T, Arch> const sum = a + b;
    xsimd::batch<T, Arch> const b_rounded = sum - a;
    return {sum, (a - (sum - b_rounded)) + (b - b_rounded)};
}

// a * b + c - sum, where sum is fma(a, b, c) and c is at least as large as the product.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> fma_low(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b,
                                              xsimd::batch<T, Arch> const& c, xsimd::batch<T, Arch> const& sum) {
    if constexpr (has_fma<Arch>) {
        return prim::fma(a, b, c - sum);
    } else {
        auto const product = exact_product(a, b);
        return ((c - sum) + product.high) + product.low;
    }
}

// c[First] + c[First + Step] x + c[First + 2 Step] x^2 + ...
template <std::size_t First, std::size_t Step, class T, class Arch, std::size_t N>
TRACEXPR_INLINE xsimd::batch<T, Arch> horner(xsimd::batch<T, Arch> const& x, std::array<T, N> const& c) {
    if constexpr (First + Step < N) return prim::fma(horner<First + Step, Step>(x, c), x, xsimd::batch<T, Arch>(c[First]));
    else return xsimd::batch<T, Arch>(c[First]);
}
template <std::size_t I> using index_constant = std::integral_constant<std::size_t, I>;

// coefficient(First) + coefficient(First + 1) x + ... up to Terms, after Estrin (1960): neighbours are combined in pairs, and the
// pairs along powers of x^2. A processor overlaps the dependency chains of several elements only if they are short.
template <std::size_t First, std::size_t Terms, class Batch, class Coefficient>
TRACEXPR_INLINE Batch by_pairs(Batch const& x, Batch const& square, Coefficient coefficient) {
    if constexpr (Terms - First == 1) {
        return coefficient(index_constant<First>{});
    } else {
        Batch const pair = prim::fma(coefficient(index_constant<First + 1>{}), x, coefficient(index_constant<First>{}));
        if constexpr (Terms - First == 2) return pair;
        else return prim::fma(by_pairs<First + 2, Terms>(x, square, coefficient), square, pair);
    }
}
// Returns the same sum as by_pairs, by fours along powers of x^4, which takes one more product.
template <std::size_t First, std::size_t Terms, class Batch, class Coefficient>
TRACEXPR_INLINE Batch by_fours(Batch const& x, Batch const& square, Batch const& fourth, Coefficient coefficient) {
    if constexpr (Terms - First <= 4) {
        return by_pairs<First, Terms>(x, square, coefficient);
    } else {
        Batch const four = by_pairs<First, First + 4>(x, square, coefficient);
        return prim::fma(by_fours<First + 4, Terms>(x, square, fourth, coefficient), fourth, four);
    }
}
template <std::size_t First, std::size_t Terms, class Batch, class Coefficient>
TRACEXPR_INLINE Batch estrin(Batch const& x, Coefficient coefficient) {
    if constexpr (Terms - First <= 2) {
        return by_pairs<First, Terms>(x, x, coefficient);
    } else {
        Batch const square = x * x;
        if constexpr (Terms - First <= 9) return by_pairs<First, Terms>(x, square, coefficient);
        else return by_fours<First, Terms>(x, square, square * square, coefficient);
    }
}
// c[0] + c[1] x + c[2] x^2 + ...
template <class T, class Arch, std::size_t N>
TRACEXPR_INLINE xsimd::batch<T, Arch> polynomial(xsimd::batch<T, Arch> const& x, std::array<T, N> const& c) {
    return estrin<0, N>(x, [&c]<std::size_t I>(index_constant<I>) { return xsimd::batch<T, Arch>(c[I]); });
}

// Calls f on each lane, for rare arguments and for functions whose speed does not matter.
template <class F, class T, class Arch, class... Rest>
TRACEXPR_NOINLINE xsimd::batch<T, Arch> per_lane(F f, xsimd::batch<T, Arch> x, Rest... rest) {
    using batch = xsimd::batch<T, Arch>;
    constexpr std::size_t lanes = batch::size;
    alignas(Arch::alignment()) T in[1 + sizeof...(Rest)][lanes];
    x.store_aligned(in[0]);
    std::size_t argument = 1;
    (rest.store_aligned(in[argument++]), ...);
    for (std::size_t i = 0; i < lanes; ++i) {
        if constexpr (sizeof...(Rest) == 0) in[0][i] = f(in[0][i]);
        else in[0][i] = f(in[0][i], in[1][i]);
    }
    return batch::load_aligned(in[0]);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math
