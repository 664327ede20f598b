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
