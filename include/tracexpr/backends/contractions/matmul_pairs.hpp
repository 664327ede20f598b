// This file multiplies matrices of 32-bit integers that fit in 16 bits: processors multiply pairs of those, and add both products
// to a 32-bit sum, in one or two instructions. Products of bytes are computed in this way, too.
#pragma once

#include <tracexpr/backends/contractions/matrix.hpp>
#include <tracexpr/backends/vectors/conversions.hpp>
#include <tracexpr/base/per_thread.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// The number of 32-bit lanes of a vector of pairs.
inline constexpr int pair_lanes = converted_bytes / 4;

#if defined(__AVX2__)
using pair_vector = lanes<std::uint32_t, pair_lanes>;
template <class V> TRACEXPR_INLINE pair_vector as_pairs(V const& v) { return __builtin_bit_cast(pair_vector, v); }
// Returns sums plus the products of both halves of each lane.
TRACEXPR_INLINE pair_vector add_products(pair_vector const& sums, pair_vector const& x, pair_vector const& y) {
#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    return as_pairs(
        _mm512_dpwssd_epi32(__builtin_bit_cast(__m512i, sums), __builtin_bit_cast(__m512i, x), __builtin_bit_cast(__m512i, y)));
#elif defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    return sums +
           as_pairs(_mm512_maskz_madd_epi16(__mmask16(-1), __builtin_bit_cast(__m512i, x), __builtin_bit_cast(__m512i, y)));
#else
    return sums + as_pairs(_mm256_madd_epi16(__builtin_bit_cast(__m256i, x), __builtin_bit_cast(__m256i, y)));
#endif
}

inline bool fit_in_16_bits(strided_matrix<std::uint32_t> x, std::int64_t rows, std::int64_t columns) {
    if (x.column_stride != 1) x = x.transposed(), std::swap(rows, columns);
    for (std::int64_t row = 0; row < rows; ++row) {
        std::uint32_t beyond = 0;
        for (std::int64_t column = 0; column < columns; ++column) beyond |= (*x.at(row, column) + 0x8000u) >> 16;
        if (beyond) return false;
    }
    return true;
}

// product_of_pairs is a product (m, k) x (k, n): a is packed into rows of pairs, and b into panels of two vectors' width.
class product_of_pairs {
public:
    static constexpr std::int64_t panel = 2 * pair_lanes, most_depth = 1024; // a panel of this depth stays in the cache
    static constexpr std::int64_t rows_at_once = 2048; // The number of rows of a that a thread keeps memory for.
    // The number of rows of a tile, whose sums stay in registers.
    static constexpr int most_rows = pair_lanes == 16 ? 12 : 6;

    static bool pays(std::int64_t m, std::int64_t n, std::int64_t k) { return m >= 4 && n >= pair_lanes && k >= 16; }

    product_of_pairs(std::int64_t m, std::int64_t n, std::int64_t k) : m_{m}, n_{n} {
        struct of_this_product;
        std::int64_t const depth = (std::min(k, most_depth) + 1) / 2;
        a_ =
            tx::detail::per_thread<scratch_memory, of_this_product>().get<std::uint32_t>((m + panel) * depth + most_rows * panel);
        b_ = a_ + m * depth;
        beside_ = b_ + panel * depth;
    }
    // Adds the product of parts of a and b along k to c, or sets c to it.
    void add(std::int64_t k, strided_matrix<std::uint32_t> a, strided_matrix<std::uint32_t> b, std::uint32_t* c,
             std::int64_t c_stride, bool accumulate) {
        depth_ = (k + 1) / 2, accumulate_ = accumulate;
        pack_rows(a, k);
        for (std::int64_t column = 0; column < n_; column += panel) {
            columns_ = std::min(panel, n_ - column);
            pack_panel(b.from(0, column), k);
            multiply_rows<most_rows>(0, c + column, c_stride);
        }
    }

private:
    static std::uint32_t pair(std::uint32_t low, std::uint32_t high) { return (low & 0xffffu) | high << 16; }
    void pack_rows(strided_matrix<std::uint32_t> a, std::int64_t k) {
        for (std::int64_t row = 0; row < m_; ++row) {
            std::uint32_t* const to = a_ + row * depth_;
            for (std::int64_t p = 0; p < k / 2; ++p) to[p] = pair(*a.at(row, 2 * p), *a.at(row, 2 * p + 1));
            if (k % 2) to[k / 2] = pair(*a.at(row, k - 1), 0);
        }
    }
    void pack_panel(strided_matrix<std::uint32_t> b, std::int64_t k) {
        for (std::int64_t p = 0; p < depth_; ++p) {
            std::uint32_t* const to = b_ + p * panel;
            bool const is_whole = 2 * p + 1 < k;
            strided_matrix<std::uint32_t> const low = b.from(2 * p, 0), high = b.from(is_whole ? 2 * p + 1 : 2 * p, 0);
            if (b.column_stride == 1 && columns_ == panel && is_whole)
                for (std::int64_t j = 0; j < panel; ++j) to[j] = pair(low.data[j], high.data[j]);
            else
                for (std::int64_t j = 0; j < panel; ++j)
                    to[j] = j < columns_ ? pair(*low.at(0, j), is_whole ? *high.at(0, j) : 0) : 0;
        }
    }
    template <int Rows> void multiply_rows(std::int64_t row, std::uint32_t* c, std::int64_t c_stride) {
        for (; row + Rows <= m_; row += Rows) {
            if (columns_ == panel) {
                multiply_tile<Rows>(a_ + row * depth_, c + row * c_stride, c_stride, accumulate_);
                continue;
            }
            multiply_tile<Rows>(a_ + row * depth_, beside_, panel, false);
            for (std::int64_t i = 0; i < Rows; ++i)
                for (std::int64_t j = 0; j < columns_; ++j) {
                    std::uint32_t& to = c[(row + i) * c_stride + j];
                    to = beside_[i * panel + j] + (accumulate_ ? to : 0);
                }
        }
        if constexpr (Rows > 1) multiply_rows<Rows / 2>(row, c, c_stride);
    }
    template <int Rows>
    void multiply_tile(std::uint32_t const* a, std::uint32_t* c, std::int64_t c_stride, bool accumulate) const {
        constexpr int w = pair_lanes;
        pair_vector left[Rows]{}, right[Rows]{};
        std::uint32_t const* b = b_;
        for (std::int64_t p = 0; p < depth_; ++p, b += panel) {
            pair_vector const first = load<w>(b), second = load<w>(b + w);
            for (int i = 0; i < Rows; ++i) {
                pair_vector const x = a[i * depth_ + p] - pair_vector{};
                left[i] = add_products(left[i], x, first);
                right[i] = add_products(right[i], x, second);
            }
        }
        for (int i = 0; i < Rows; ++i, c += c_stride) {
            store<w>(c, accumulate ? load<w>(c) + left[i] : left[i]);
            store<w>(c + w, accumulate ? load<w>(c + w) + right[i] : right[i]);
        }
    }

    std::int64_t m_, n_, depth_ = 0, columns_ = 0; // depth_ counts pairs
    bool accumulate_ = false;
    std::uint32_t *a_, *b_, *beside_;
};
#endif

// c = a b or c += a b, by pairs; returns false if that doesn't pay, or if an element has more than 16 bits.
inline bool multiply_pairs([[maybe_unused]] std::int64_t m, [[maybe_unused]] std::int64_t n, [[maybe_unused]] std::int64_t k,
                           [[maybe_unused]] strided_matrix<std::uint32_t> a, [[maybe_unused]] strided_matrix<std::uint32_t> b,
                           [[maybe_unused]] std::uint32_t* c, [[maybe_unused]] std::int64_t c_stride,
                           [[maybe_unused]] bool accumulate) {
#if defined(__AVX2__)
    if (!product_of_pairs::pays(m, n, k) || !fit_in_16_bits(a, m, k) || !fit_in_16_bits(b, k, n)) return false;
    for (std::int64_t row = 0; row < m; row += product_of_pairs::rows_at_once) {
        product_of_pairs product(std::min(product_of_pairs::rows_at_once, m - row), n, k);
        for (std::int64_t first = 0; first < k; first += product_of_pairs::most_depth)
            product.add(std::min(product_of_pairs::most_depth, k - first), a.from(row, first), b.from(first, 0),
                        c + row * c_stride, c_stride, accumulate || first > 0);
    }
    return true;
#else
    return false;
#endif
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
