// Products and linear algebra: matrices lie in the last two axes, batches before them.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

using vec = tx::tensor<double, tx::shape<2>>;
using triple = tx::tensor<double, tx::shape<3>>;
using square = tx::tensor<double, tx::shape<2, 2>>;

TEST_CASE("matmul") {
    square const a{{1, 2}, {3, 4}};
    CHECK(tx::equal(tx::matmul(a, a), square{{7, 10}, {15, 22}})); // (m, k) x (k, n) -> (m, n)
    CHECK(tx::equal(tx::matmul(a, vec{1, 1}), vec{3, 7}));         // (m, k) x (k) -> (m)
}

TEST_CASE("dot, vecdot, inner, outer") {
    vec const x{1, 2}, y{3, 4};
    CHECK(tx::dot(x, y).item() == 11);
    CHECK(tx::vecdot(x, y).item() == 11); // over the last axis; axes before broadcast
    CHECK(tx::inner(x, y).item() == 11);
    CHECK(tx::equal(tx::outer(x, y), square{{3, 4}, {6, 8}}));
}

TEST_CASE("cross, kron, trace") {
    CHECK(tx::equal(tx::cross(triple{1, 0, 0}, triple{0, 1, 0}), triple{0, 0, 1}));
    CHECK(tx::equal(tx::kron(vec{1, 2}, vec{1, 10}), tx::tensor<double, tx::shape<4>>{1, 10, 2, 20}));
    CHECK(tx::trace(square{{1, 2}, {3, 4}}).item() == 5);
}

TEST_CASE("tensordot") {
    square const a{{1, 2}, {3, 4}};
    CHECK(tx::equal(tx::tensordot(a, a, tx::axis<1>, tx::axis<0>), tx::matmul(a, a)));
    CHECK(tx::tensordot(a, a).item() == 30); // over two axes of each
}

TEST_CASE("einsum") {
    square const a{{1, 2}, {3, 4}};
    CHECK(tx::equal(tx::einsum<"ij,jk->ik">(a, a), tx::matmul(a, a)));
    CHECK(tx::einsum<"ii">(a).item() == 5);
    CHECK(tx::equal(tx::einsum<"ij->j">(a), vec{4, 6}));
}

TEST_CASE("linalg::solve, linalg::inv") {
    square const a{{4, 1}, {1, 3}};
    CHECK(tx::allclose(tx::linalg::solve(a, vec{1, 2}), vec{1. / 11, 7. / 11}).item());
    CHECK(tx::allclose(tx::matmul(tx::linalg::inv(a), a), square{{1, 0}, {0, 1}}, {.atol = 1e-12}).item());
    CHECK_THROWS_AS(tx::linalg::inv(square{{1, 2}, {2, 4}}), tx::error); // singular
}

TEST_CASE("linalg::det, linalg::slogdet") {
    square const a{{4, 1}, {1, 3}};
    CHECK(tx::linalg::det(a).item() == doctest::Approx(11));
    auto const [sign, logarithm] = tx::linalg::slogdet(a);
    CHECK(sign.item() == 1);
    CHECK(logarithm.item() == doctest::Approx(std::log(11)));
}

TEST_CASE("linalg::cholesky") {
    CHECK(tx::allclose(tx::linalg::cholesky(square{{4, 2}, {2, 5}}), square{{2, 0}, {1, 2}}).item()); // l with l l^T = a
}

TEST_CASE("linalg::eigh, linalg::eigvalsh") {
    square const a{{2, 1}, {1, 2}};
    auto const [values, vectors] = tx::linalg::eigh(a); // ascending; vectors in columns
    CHECK(tx::allclose(values, vec{1, 3}).item());
    CHECK(tx::allclose(tx::matmul(a, vectors), vectors * values).item());
    CHECK(tx::allclose(tx::linalg::eigvalsh(a), values).item());
}

TEST_CASE("linalg::solve_triangular, linalg::lower, linalg::upper, linalg::transposed, linalg::unit_diagonal") {
    square const a{{2, 6}, {4, 4}};
    namespace linalg = tx::linalg;
    CHECK(tx::allclose(linalg::solve_triangular(a, vec{10, 4}, linalg::upper), vec{2, 1}).item()); // never reads the other triangle
    CHECK(tx::allclose(linalg::solve_triangular(a, vec{2, 8}, linalg::lower), vec{1, 1}).item());
    CHECK(tx::allclose(linalg::solve_triangular(a, vec{6, 4}, linalg::lower, linalg::transposed), vec{1, 1}).item());
    CHECK(tx::allclose(linalg::solve_triangular(a, vec{1, 5}, linalg::lower, linalg::unit_diagonal), vec{1, 1}).item());
}

TEST_CASE("linalg::qr") {
    square const a{{3, 1}, {4, 2}};
    auto const [q, r] = tx::linalg::qr(a); // orthonormal columns, and an upper triangle
    CHECK(tx::allclose(tx::matmul(q, r), a, {.atol = 1e-12}).item());
    CHECK(tx::allclose(r, square{{-5, -2.2}, {0, 0.4}}, {.atol = 1e-12}).item());
}

TEST_CASE("linalg::svd, linalg::svdvals") {
    square const a{{0, -2}, {3, 0}};
    auto const [u, s, vh] = tx::linalg::svd(a); // singular values, descending
    CHECK(tx::allclose(s, vec{3, 2}).item());
    CHECK(tx::allclose(tx::matmul(u * s, vh), a, {.atol = 1e-12}).item());
    CHECK(tx::allclose(tx::linalg::svdvals(a), vec{3, 2}).item());
}

TEST_CASE("linalg::lstsq") {
    tx::tensor<double, tx::shape<3, 2>> const a{{1, 0}, {1, 1}, {1, 2}};
    auto const [x, residuals, rank, s] = tx::linalg::lstsq(a, triple{1, 2, 4}); // the line nearest to three points
    CHECK(tx::allclose(x, vec{5. / 6, 1.5}).item());
    CHECK(rank.item() == 2);
}

TEST_CASE("linalg::pinv") {
    square const a{{1, 1}, {1, 1}}; // which has no inverse
    CHECK(tx::allclose(tx::linalg::pinv(a), square{{0.25, 0.25}, {0.25, 0.25}}).item());
}

TEST_CASE("linalg::matrix_power") {
    square const a{{1, 1}, {1, 0}};
    CHECK(tx::allclose(tx::linalg::matrix_power<10>(a), square{{89, 55}, {55, 34}}).item()); // Fibonacci's numbers
    CHECK(tx::allclose(tx::linalg::matrix_power<-1>(a), square{{0, 1}, {1, -1}}, {.atol = 1e-12}).item());
}

TEST_CASE("linalg::norm, linalg::frobenius, linalg::nuclear, linalg::order_minus_inf") {
    namespace linalg = tx::linalg;
    square const a{{0, -2}, {3, 0}};
    CHECK(linalg::norm(a, linalg::frobenius).item() == doctest::Approx(std::sqrt(13)));
    CHECK(linalg::norm(a, linalg::nuclear).item() == doctest::Approx(5));
    CHECK(linalg::norm(a, tx::order<2>).item() == doctest::Approx(3));            // the largest singular value
    CHECK(linalg::norm(a, linalg::order_minus_inf).item() == doctest::Approx(2)); // the smallest sum of sizes of a row
}
