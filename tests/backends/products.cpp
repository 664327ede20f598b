// This file tests products of batches of small matrices, and of long matrices with small ones, against plain loops; every sum is
// exact.
#include <tracexpr/backends/calls/products.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

using tx::dims;

// A batch (first, second, m, n) of matrices, each stored by rows, by columns, or with gaps; or one for all `first` or `second`.
struct layout {
    bool by_columns = false;
    std::int64_t gap = 0; // after each row, or column
    bool one_first = false, one_second = false;
};
template <class T> struct given {
    dims extents;
    std::int64_t strides[4];
    std::vector<T> elements;

    given(std::int64_t first, std::int64_t second, std::int64_t m, std::int64_t n, layout of, int seed)
        : extents{{of.one_first ? 1 : first, of.one_second ? 1 : second, m, n}, 4} {
        std::int64_t const line = (of.by_columns ? m : n) + of.gap, lines = of.by_columns ? n : m;
        strides[2] = of.by_columns ? 1 : line, strides[3] = of.by_columns ? line : 1;
        strides[1] = line * lines, strides[0] = strides[1] * extents[1];
        elements.resize(static_cast<std::size_t>(strides[0] * extents[0]));
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = static_cast<T>(static_cast<int>((i * 37 + static_cast<std::size_t>(seed)) % 23) - 11);
    }
    tx::simd::call_operand operand() const { return {reinterpret_cast<std::byte const*>(elements.data()), extents, strides}; }
    T at(std::int64_t first, std::int64_t second, std::int64_t i, std::int64_t j) const {
        std::int64_t const place = (extents[0] > 1 ? first : 0) * strides[0] + (extents[1] > 1 ? second : 0) * strides[1] +
                                   i * strides[2] + j * strides[3];
        return elements[static_cast<std::size_t>(place)];
    }
};

template <class T>
void check(std::int64_t first, std::int64_t second, std::int64_t m, std::int64_t k, std::int64_t n, layout left, layout right) {
    given<T> const a(first, second, m, k, left, 3), b(first, second, k, n, right, 8);
    dims const result{{first, second, m, n}, 4};
    std::vector<T> out(static_cast<std::size_t>(result.size()) + 1, T(77));
    tx::simd::detail::matmul<xsimd::default_arch>(a.operand(), b.operand(), out.data(), result);
    bool good = out.back() == T(77);
    std::size_t at = 0;
    for (std::int64_t f = 0; f < first; ++f)
        for (std::int64_t s = 0; s < second; ++s)
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    T sum = 0;
                    for (std::int64_t p = 0; p < k; ++p) sum += a.at(f, s, i, p) * b.at(f, s, p, j);
                    good = good && out[at++] == sum;
                }
    INFO(first, " ", second, " ", m, " ", k, " ", n, " ", left.by_columns, right.by_columns, left.gap, right.gap);
    CHECK(good);
}

constexpr layout layouts[]{{},
                           {.by_columns = true},
                           {.gap = 2},
                           {.one_first = true},
                           {.by_columns = true, .one_second = true},
                           {.one_first = true, .one_second = true}};

} // namespace

TEST_CASE_TEMPLATE("matmul: of many small matrices, however they lie", T, float, double, std::int32_t, std::int64_t) {
    for (std::int64_t const second : {1, 3, 7, 8, 9, 19})
        for (layout const left : layouts)
            for (layout const right : layouts) {
                check<T>(1, second, 3, 3, 3, left, right);
                check<T>(2, second, 2, 5, 1, left, right);
                check<T>(3, second, 1, 8, 8, left, right);
            }
    for (std::int64_t m = 1; m <= 9; ++m)
        for (std::int64_t k = 1; k <= 9; ++k)
            for (std::int64_t n = 1; n <= 9; ++n)
                check<T>(2, 11, m, k, n, {.by_columns = m % 2 == 0}, {.by_columns = n % 2 == 0});
}

TEST_CASE_TEMPLATE("matmul: of long matrices of a few columns", T, float, double, std::int32_t) {
    for (std::int64_t const rows : {1, 15, 31, 32, 33, 63, 64, 65, 131})
        for (std::int64_t k = 1; k <= 9; ++k)
            for (std::int64_t n = 1; n <= 6; ++n)
                for (layout const left : {layout{}, layout{.gap = 3}})
                    for (bool const by_columns : {false, true}) check<T>(1, 1, rows, k, n, left, {.by_columns = by_columns});
    check<T>(1, 40, 5, 3, 3, {}, {.one_first = true, .one_second = true}); // one product
    check<T>(1, 1, 40'000, 9, 12, {}, {});
    check<T>(1, 1, 40'000, 3, 7, {.by_columns = true}, {});
    check<T>(1, 1, 3, 5, 40'001, {}, {});
}
