// Tests tx::linalg by identities. tests/run runs these on the core's own loops, tests/bridges on LAPACK.
#pragma once

#include <linalg_helper.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

TEST_CASE_TEMPLATE("linalg: cholesky gives a lower triangle whose square is the matrix", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const a = definite_matrix<T>(n, 1);
        auto const l = linalg::cholesky(a);
        CHECK(distance(product(l, flipped(l)), a) <= bound_for<T>(n));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = i; j < n; ++j) CHECK((i == j ? l(i, j) > 0 : l(i, j) == 0));
        // cholesky takes the symmetric part of a matrix.
        auto const b = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return a(i, j) + static_cast<T>(i < j) - static_cast<T>(i > j); });
        CHECK(distance(linalg::cholesky(b), l) <= bound_for<T>(n));
    }
}
TEST_CASE_TEMPLATE("linalg: what solve and inv give times the matrix is what they were given", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const a = random_matrix<T>(n, n, 2, 1, 2);
        // The error of the product is the backward error of a, n epsilon, times the solution.
        auto const fits = [&](auto const& x, auto const& b) {
            double largest = 1;
            for (std::int64_t i = 0; i < x.size(); ++i) largest = std::max(largest, static_cast<double>(std::abs(x.data()[i])));
            return distance(product(a, x), b) <= bound_for<T>(n) * largest;
        };
        for (std::int64_t const k : {0, 1, 2, 9}) {
            auto const b = random_matrix<T>(n, k, 3);
            CHECK(fits(linalg::solve(a, b), b));
        }
        auto b = tx::zeros<T, tx::shape<tx::dyn>>(n);
        for (std::int64_t i = 0; i < n; ++i) b.mutable_data()[i] = a(i, 0) - 1;
        CHECK(fits(linalg::solve(a, b), b));
        CHECK(fits(linalg::inv(a), identity<T>(n)));
    }
}
TEST_CASE_TEMPLATE("linalg: solve_triangular reads one triangle", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        // The elements beside the diagonal are small, so that solutions don't grow.
        auto const a = random_matrix<T>(n, n, 5, 1.0 / static_cast<double>(n + 1), 1), b = random_matrix<T>(n, 3, 6);
        auto const low = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return i >= j ? a(i, j) : T(0); });
        auto const high = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return i <= j ? a(i, j) : T(0); });
        auto const unit = made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return i > j ? a(i, j) : static_cast<T>(i == j); });
        CHECK(distance(product(high, linalg::solve_triangular(a, b)), b) <= bound_for<T>(n));
        CHECK(distance(linalg::solve_triangular(a, b, linalg::upper), linalg::solve_triangular(a, b)) == 0);
        CHECK(distance(product(low, linalg::solve_triangular(a, b, linalg::lower)), b) <= bound_for<T>(n));
        CHECK(distance(product(flipped(high), linalg::solve_triangular(a, b, linalg::transposed)), b) <= bound_for<T>(n));
        CHECK(distance(product(flipped(low), linalg::solve_triangular(a, b, linalg::transposed, linalg::lower)), b) <= bound_for<T>(n));
        CHECK(distance(product(unit, linalg::solve_triangular(a, b, linalg::lower, linalg::unit_diagonal)), b) <= bound_for<T>(n));
        CHECK(distance(product(flipped(unit), linalg::solve_triangular(a, b, linalg::lower, linalg::unit_diagonal, linalg::transposed)), b) <= bound_for<T>(n));
    }
}
TEST_CASE_TEMPLATE("linalg: det and slogdet are the product of the eigenvalues", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const s = symmetric_matrix<T>(n, 7);
        auto const [sign, logarithm] = linalg::slogdet(s);
        auto const values = linalg::eigvalsh(s);
        double want_sign = 1, want = 0, smallest = 1;
        for (std::int64_t i = 0; i < n; ++i) {
            double const w = static_cast<double>(values.data()[i]);
            want_sign *= w < 0 ? -1 : 1, want += std::log(std::abs(w)), smallest = std::min(smallest, std::abs(w));
        }
        double const bound = bound_for<T>(n) / smallest;  // the absolute error of a small value is as large as that of the others
        CHECK(static_cast<double>(sign.item()) == want_sign);
        CHECK(std::abs(static_cast<double>(logarithm.item()) - want) <= bound);
        if (n <= 17) CHECK(static_cast<double>(linalg::det(s).item()) == doctest::Approx(want_sign * std::exp(want)).epsilon(bound));
    }
}
TEST_CASE_TEMPLATE("linalg: eigh gives values in ascending order and orthonormal vectors", T, float, double) {
    for (std::int64_t const n : orders) {
        CAPTURE(n);
        auto const s = symmetric_matrix<T>(n, 8);
        auto const [w, v] = linalg::eigh(s);
        auto const scaled = made<T>(n, n, [&, &values = w, &vectors = v](std::int64_t i, std::int64_t j) { return vectors(i, j) * values(j); });
        CHECK(distance(product(s, v), scaled) <= bound_for<T>(n));
        CHECK(distance(product(flipped(v), v), identity<T>(n)) <= bound_for<T>(n));
        for (std::int64_t i = 1; i < n; ++i) CHECK(w(i - 1) <= w(i));
        CHECK(distance(linalg::eigvalsh(s), w) == 0);
        for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t i = 0;
            while (std::abs(v(i, j)) < static_cast<T>(0.5) / std::sqrt(static_cast<T>(n))) ++i;
            CHECK(v(i, j) > 0);
        }
    }
}

// Expected numbers are NumPy 2.4.6's: numpy.linalg.det(a), slogdet(a), inv(a), solve(a, b), cholesky(a @ a.T), and eigh((a + a.T)
// / 2) with the sign of each vector such that its first element of at least 0.5 / sqrt(5) is positive.
