// More linear algebra: `#include <tracexpr/matrices.hpp>`. Factors, functions of matrices, special matrices, systems with few
// diagonals, iterative solvers, and differential equations. Batches of matrices lie in the last two axes.
#include <tracexpr/matrices.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace la = tx::linalg;
using vec = tx::tensor<double, tx::shape<2>>;
using matrix = tx::tensor<double, tx::shape<2, 2>>;
matrix const m{{1, 2}, {3, 4}}, definite{{4, 1}, {1, 3}};

template <class A, class B> bool near(A const& x, B const& y) { return tx::all(tx::abs(x - y) < 1e-9).item(); }

TEST_CASE("linalg::lu") {
    auto const [p, l, u] = la::lu(m);
    CHECK(tx::equal(p, matrix{{0, 1}, {1, 0}}));
    CHECK(near(tx::matmul(p, tx::matmul(l, u)), m));
}

TEST_CASE("linalg::lu_factor, linalg::lu_solve") {
    auto const [factors, places] = la::lu_factor(m); // for many right sides, one after the other
    CHECK(near(la::lu_solve(factors, places, vec{5, 11}), vec{1, 2}));
}

TEST_CASE("linalg::ldl") {
    auto const [l, d] = la::ldl(definite);
    CHECK(near(tx::matmul(l * d, tx::transpose(l)), definite));
}

TEST_CASE("linalg::expm, linalg::logm") {
    matrix const turn{{0, -1}, {1, 0}};
    CHECK(near(la::expm(turn), matrix{{std::cos(1.0), -std::sin(1.0)}, {std::sin(1.0), std::cos(1.0)}}));
    CHECK(near(la::logm(la::expm(turn)), turn));
}

TEST_CASE("linalg::sqrtm, linalg::symmetric") {
    auto const root = la::sqrtm(definite);
    CHECK(near(tx::matmul(root, root), definite));
    CHECK(near(la::sqrtm(definite, la::symmetric), root)); // by eigh; singular matrices, too
}

TEST_CASE("linalg::toeplitz, linalg::circulant, linalg::hankel") {
    CHECK(tx::equal(la::toeplitz(vec{1, 2}, vec{1, 7}), matrix{{1, 7}, {2, 1}})); // first column, first row
    CHECK(tx::equal(la::circulant(vec{1, 2}), matrix{{1, 2}, {2, 1}}));
    CHECK(tx::equal(la::hankel(vec{1, 2}), matrix{{1, 2}, {2, 0}}));
}

TEST_CASE("linalg::vander, linalg::increasing") {
    CHECK(tx::equal(la::vander(vec{2, 3}), matrix{{2, 1}, {3, 1}}));
    CHECK(tx::equal(la::vander<3>(vec{2, 3}, la::increasing), tx::tensor<double, tx::shape<2, 3>>{{1, 2, 4}, {1, 3, 9}}));
}

TEST_CASE("linalg::block_diag, linalg::hilbert") {
    CHECK(tx::equal(la::block_diag(tx::tensor<double, tx::shape<1, 1>>{{5}}, vec{1, 2}), tx::tensor<double, tx::shape<2, 3>>{{5, 0, 0}, {0, 1, 2}}));
    CHECK(near(la::hilbert<double, 2>(), matrix{{1, 0.5}, {0.5, 1.0 / 3}}));
}

TEST_CASE("linalg::matrix_rank, linalg::condition_number, linalg::null_space") {
    matrix const singular{{1, 2}, {2, 4}};
    CHECK(la::matrix_rank(singular).item() == 1);
    CHECK(std::abs(la::condition_number(matrix{{10, 0}, {0, 1}}).item() - 10) < 1e-12);
    CHECK(std::abs(la::condition_number(matrix{{10, 0}, {0, 1}}, tx::order<1>).item() - 10) < 1e-12);
    CHECK(near(tx::matmul(singular, la::null_space<1>(singular)), tx::zeros<double>(tx::shape<2, 1>{})));
    CHECK(la::null_space(m).size() == 0); // as many columns as the values tell
}

TEST_CASE("linalg::solve_tridiagonal, linalg::solve_banded") {
    tx::tensor<double, tx::shape<3>> const lower{0, 1, 1}, diagonal{4, 4, 4}, upper{1, 1, 0}, b{5, 6, 5};
    CHECK(near(la::solve_tridiagonal(lower, diagonal, upper, b), tx::tensor<double, tx::shape<3>>{1, 1, 1}));
    tx::tensor<double, tx::shape<3, 3>> const band{{0, 1, 1}, {4, 4, 4}, {1, 1, 0}}; // SciPy's form
    CHECK(near(la::solve_banded<1, 1>(band, b), tx::tensor<double, tx::shape<3>>{1, 1, 1}));
}

TEST_CASE("linalg::conjugate_gradient, linalg::iterative_options, linalg::no_preconditioner") {
    auto const times = [](auto const& x) { return tx::matmul(definite, x); };
    CHECK(near(la::conjugate_gradient(times, vec{5, 4}, la::iterative_options<la::no_preconditioner>{.tolerance = 1e-12}), vec{1, 1}));
    auto const jacobi = [](auto const& x) { return x / vec{4, 3}; };
    CHECK(near(la::conjugate_gradient(times, vec{5, 4}, la::iterative_options{.tolerance = 1e-12, .preconditioner = jacobi}), vec{1, 1}));
}

TEST_CASE("linalg::eig, linalg::eigvals") {
    tx::tensor<double, tx::shape<2, 2>> const turn{{0, -1}, {1, 0}};
    auto const [values, vectors] = la::eig(turn); // complex, in no particular order
    CHECK(tx::allclose(tx::abs(values), tx::ones<double>(tx::shape<2>{})));
    CHECK(tx::allclose(tx::matmul(turn, vectors), vectors * tx::expand_dims<0>(values)));
    CHECK(near(tx::sort(tx::real(la::eigvals(definite))), tx::linalg::eigvalsh(definite)));
}

TEST_CASE("roots") {
    auto const x = tx::roots(tx::tensor<double, tx::shape<3>>{1, -5, 6}); // x^2 - 5 x + 6 = 0
    CHECK(near(tx::sort(tx::real(x)), vec{2, 3}));
}

TEST_CASE("linalg::bicgstab, linalg::gmres") {
    auto const times = [](auto const& x) { return tx::matmul(m, x); }; // needs neither to be symmetric nor definite
    CHECK(near(la::bicgstab(times, vec{5, 11}, {.tolerance = 1e-12}), vec{1, 2}));
    CHECK(near(la::gmres<2>(times, vec{5, 11}, {.tolerance = 1e-12}), vec{1, 2}));
}

TEST_CASE("ode, ode_options") {
    tx::tensor<double, tx::shape<3>> const times{0, 1, 2};
    tx::tensor<double, tx::shape<>> const rate(0.5);
    auto const decay = [](auto const& y, auto const&, auto const& r) { return y * -r; }; // y' = f(y, t, args...)
    auto const y = tx::ode(decay, vec{1, 2}, times, rate);                                // (3, 2)
    CHECK(std::abs(y(2, 1) - 2 * std::exp(-1.0)) < 1e-7);
    auto const loose = tx::ode(tx::ode_options{.relative = 1e-3, .absolute = 1e-6}, decay, vec{1, 2}, times, rate);
    CHECK(std::abs(loose(2, 1) - 2 * std::exp(-1.0)) < 1e-2);
}
