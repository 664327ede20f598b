// This file tests triangular systems of every form, with more rows than a vector has lanes, and with one and several right sides:
// multiplying by the solution must give the right sides.
#include <tracexpr/tracexpr.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

using tx::shape, tx::tensor;
namespace linalg = tx::linalg;

namespace {

template <class T, class Shape> tensor<T, Shape> numbers(int seed) {
    auto out = tx::zeros<T, Shape>();
    for (std::int64_t k = 0; k < out.size(); ++k)
        out.mutable_data()[k] = static_cast<T>(std::sin(static_cast<double>(k * k + 7 * seed)) / 3);
    return out;
}

// How far a x is from b at most. Lower, Transposed: which triangle, and whether it is that of the transpose; Unit: its diagonal
// is 1.
template <bool Lower, bool Transposed, bool Unit, class A, class B> double off(A const& a, B const& b) {
    auto const x = tx::function{[](auto m, auto right) {
        auto const turned = [&] {
            if constexpr (Transposed) return tx::matrix_transpose(m);
            else return m;
        }();
        constexpr bool is_lower = Lower != Transposed;
        if constexpr (is_lower && Unit) return linalg::solve_triangular(turned, right, linalg::lower, linalg::unit_diagonal);
        else if constexpr (is_lower) return linalg::solve_triangular(turned, right, linalg::lower);
        else if constexpr (Unit) return linalg::solve_triangular(turned, right, linalg::upper, linalg::unit_diagonal);
        else return linalg::solve_triangular(turned, right, linalg::upper);
    }}(a, b);
    std::int64_t const n = a.extent(1), k = b.extent(2);
    double worst = 0;
    for (std::int64_t q = 0; q < a.extent(0); ++q)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t c = 0; c < k; ++c) {
                double sum = 0;
                for (std::int64_t j = 0; j < n; ++j) {
                    std::int64_t const row = Transposed ? j : i, column = Transposed ? i : j;
                    if (Lower ? column > row : column < row) continue;
                    double const element = row == column && Unit ? 1 : static_cast<double>(a.data()[(q * n + row) * n + column]);
                    sum += element * static_cast<double>(x.data()[(q * n + j) * k + c]);
                }
                worst = std::max(worst, std::abs(sum - static_cast<double>(b.data()[(q * n + i) * k + c])));
            }
    return worst;
}
template <class T, std::int64_t N, std::int64_t K> void check() {
    auto a = numbers<T, shape<2, N, N>>(1);
    for (std::int64_t q = 0; q < 2; ++q)
        for (std::int64_t i = 0; i < N; ++i) a.mutable_data()[(q * N + i) * N + i] = static_cast<T>(2 + i % 3);
    auto const b = numbers<T, shape<2, N, K>>(2);
    double const most = 4096 * static_cast<double>(std::numeric_limits<T>::epsilon());
    CHECK(off<true, false, false>(a, b) <= most);
    CHECK(off<false, false, false>(a, b) <= most);
    CHECK(off<true, true, false>(a, b) <= most);
    CHECK(off<false, true, false>(a, b) <= most);
    auto small = a;
    for (std::int64_t k = 0; k < small.size(); ++k) small.mutable_data()[k] /= static_cast<T>(N);
    CHECK(off<true, false, true>(small, b) <= most);
    CHECK(off<false, true, true>(small, b) <= most);
}

} // namespace

TEST_CASE("triangles: several right sides") {
    check<float, 32, 8>();
    check<float, 37, 20>();
    check<double, 30, 3>();
}
TEST_CASE("triangles: one right side") {
    check<float, 17, 1>();
    check<double, 70, 1>();
}
TEST_CASE("triangles: NaN and infinity beside a system's end stay out of it") {
    // The right sides of a batch lie one after the other: what follows one is not part of it.
    auto a = tx::zeros<float, shape<2, 19, 19>>();
    auto b = tx::ones<float, shape<2, 19, 1>>();
    for (std::int64_t q = 0; q < 2; ++q)
        for (std::int64_t i = 0; i < 19; ++i) a.mutable_data()[(q * 19 + i) * 19 + i] = 2;
    for (std::int64_t i = 0; i < 19; ++i) b.mutable_data()[19 + i] = std::numeric_limits<float>::infinity();
    auto const x = tx::function{[](auto m, auto right) { return linalg::solve_triangular(m, right, linalg::lower); }}(a, b);
    for (std::int64_t i = 0; i < 19; ++i) CHECK(x.data()[i] == 0.5f);
}
