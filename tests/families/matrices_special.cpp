// This file tests special matrices, factors, rank, condition and null space.
#include <tracexpr/matrices.hpp>

#include <family_checks.hpp>

#include <cmath>
#include <complex>
#include <cstdint>

namespace {

namespace la = tx::linalg;
using tx::testing::check_in_all_forms;
using tx::testing::difference;
using vec = tx::tensor<double, tx::shape<3>>;
using matrix = tx::tensor<double, tx::shape<3, 3>>;
vec const c{1, 2, 3};
tx::tensor<double, tx::shape<4>> const r{7, 5, 6, 8};
matrix const a{{1, 2, 3}, {2, 4, 6}, {1, 0, 1}}, good{{4, 1, 0.5}, {1, 3, -1}, {0.5, -1, -2}};

} // namespace

TEST_CASE("toeplitz, circulant, hankel") {
    check_in_all_forms([](auto x, auto y) { return la::toeplitz(x, y); }, tx::tensor<double, tx::shape<3, 4>>{{1, 5, 6, 8}, {2, 1, 5, 6}, {3, 2, 1, 5}}, 0, 0, c, r);
    check_in_all_forms([](auto x) { return la::circulant(x); }, matrix{{1, 3, 2}, {2, 1, 3}, {3, 2, 1}}, 0, 0, c);
    CHECK(tx::equal(la::toeplitz(c), matrix{{1, 2, 3}, {2, 1, 2}, {3, 2, 1}}));
    CHECK(tx::equal(la::hankel(c), matrix{{1, 2, 3}, {2, 3, 0}, {3, 0, 0}}));
    CHECK(tx::equal(la::hankel(c, r), tx::tensor<double, tx::shape<3, 4>>{{1, 2, 3, 5}, {2, 3, 5, 6}, {3, 5, 6, 8}}));
    CHECK(la::toeplitz(tx::tensor<int, tx::shape<1>>{4})(0, 0) == 4);
    CHECK(la::toeplitz(tx::tensor<int, tx::shape<0>>{}).size() == 0);
    tx::check_gradients([](auto x, auto y) { return tx::sum(tx::square(la::toeplitz(x, y))); }, c, r);
}
TEST_CASE("vander: powers, and their derivative at 0") {
    CHECK(tx::equal(la::vander(c), matrix{{1, 1, 1}, {4, 2, 1}, {9, 3, 1}}));
    CHECK(tx::equal(la::vander<2>(c, la::increasing), tx::tensor<double, tx::shape<3, 2>>{{1, 1}, {1, 2}, {1, 3}}));
    CHECK(tx::equal(la::vander(tx::testing::with_open_extents(c)), la::vander(c)));
    CHECK(tx::equal(la::vander<3>(tx::tensor<int, tx::shape<2>>{0, -2}), tx::tensor<int, tx::shape<2, 3>>{{0, 0, 1}, {4, -2, 1}}));
    auto const slope = tx::grad([](auto x) { return tx::sum(la::vander<4>(x)); })(vec{0, 1, 2});
    CHECK(tx::equal(slope, vec{1, 6, 17}));
}
TEST_CASE("block_diag, hilbert") {
    auto const all = la::block_diag(tx::tensor<float, tx::shape<1, 2>>{{1, 2}}, tx::tensor<double, tx::shape<>>(3.0), tx::tensor<int, tx::shape<2>>{4, 5});
    CHECK(tx::equal(all, tx::tensor<double, tx::shape<3, 5>>{{1, 2, 0, 0, 0}, {0, 0, 3, 0, 0}, {0, 0, 0, 4, 5}}));
    check_in_all_forms([](auto x, auto y) { return la::block_diag(x, y); }, la::block_diag(a, good), 0, 0, a, good);
    CHECK(difference(la::hilbert<double, 2>(), tx::tensor<double, tx::shape<2, 2>>{{1, 0.5}, {0.5, 1.0 / 3}}, 1e-16) == "");
}
TEST_CASE("matrix_rank, condition_number, null_space") {
    CHECK(la::matrix_rank(a).item() == 2);
    CHECK(la::matrix_rank(good, 0.5).item() == 2); // singular values of good: numpy.linalg.svd
    CHECK(tx::equal(la::matrix_rank(tx::stack(tx::axis<0>, a, good, a * 0.0)), tx::tensor<std::int64_t, tx::shape<3>>{2, 3, 0}));
    CHECK(std::abs(la::condition_number(good).item() - 2.0368052275444506) < 1e-12);
    CHECK(std::abs(la::condition_number(good, tx::order<1>).item() - 3.5675675675675684) < 1e-12);
    CHECK(std::abs(la::condition_number(good, tx::order_inf).item() - 3.5675675675675684) < 1e-12);
    CHECK(std::abs(la::condition_number(good, la::frobenius).item() - 3.5857836424995453) < 1e-12);
    CHECK(std::isinf(la::condition_number(matrix{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}).item()));
    auto const none = la::null_space<1>(a);
    CHECK(tx::max(tx::abs(tx::matmul(a, none))).item() < 1e-14);
    CHECK(std::abs(tx::norm(none).item() - 1) < 1e-14);
    auto const wide = la::null_space(tx::tensor<double, tx::shape<2, 4>>{{1, 2, 3, 4}, {2, 4, 6, 8}});
    CHECK(tx::to_string(wide.dimensions()) == "(4, 3)");
    CHECK(la::null_space(good).size() == 0);
}
TEST_CASE("lu: of square, tall and wide matrices") {
    auto const check = [](auto const& x) {
        auto const [p, l, u] = la::lu(x);
        CHECK(difference(tx::matmul(p, tx::matmul(l, u)), x, 1e-14, 1e-14) == "");
        CHECK(tx::max(tx::abs(l)).item() <= 1);
        CHECK(tx::equal(tx::sum(p, tx::axis<0>), tx::ones_like(tx::sum(p, tx::axis<0>))));
        CHECK(tx::equal(tx::tril(l), l));
        CHECK(tx::equal(tx::triu(u), u));
    };
    check(a);
    check(tx::tensor<double, tx::shape<4, 2>>{{1, 2}, {3, 4}, {-5, 6}, {7, 7}});
    check(tx::tensor<double, tx::shape<2, 4>>{{1, 2, 3, 4}, {3, 4, 5, 7}});
    auto const [p, l, u] = tx::function{[](auto x) { return la::lu(x); }}(tx::stack(tx::axis<0>, a, good));
    CHECK(difference(tx::matmul(p, tx::matmul(l, u)), tx::stack(tx::axis<0>, a, good), 1e-14, 1e-14) == "");
    tx::check_gradients([](auto x) { auto const [q, lower, upper] = la::lu(x); return tx::sum(tx::sin(lower) + tx::cos(upper)); }, good);
}
TEST_CASE("lu_factor, lu_solve") {
    auto const [factors, places] = la::lu_factor(good);
    CHECK(difference(tx::matmul(good, la::lu_solve(factors, places, c)), c, 1e-14) == "");
    CHECK(difference(la::lu_solve(factors, places, good), tx::eye<double>(tx::shape<3, 3>{}), 1e-14, 1e-14) == "");
    check_in_all_forms([](auto x, auto y) { auto const [f, q] = la::lu_factor(x); return la::lu_solve(f, q, tx::expand_dims<1>(y)); },
                       tx::expand_dims<1>(la::solve(good, c)), 1e-14, 1e-15, good, c);
    tx::check_gradients([](auto x, auto y) { auto const [f, q] = la::lu_factor(x); return tx::sum(tx::sin(la::lu_solve(f, q, y))); }, good, c);
}
TEST_CASE("ldl: of indefinite matrices") {
    auto const [l, d] = la::ldl(good);
    CHECK(difference(tx::matmul(l * d, tx::transpose(l)), good, 1e-14, 1e-14) == "");
    CHECK(d(2) < 0);
    check_in_all_forms([](auto x) { return la::ldl(x).second; }, d, 1e-14, 0, good);
    tx::check_gradients([](auto x) { auto const [lower, diagonal] = la::ldl(x); return tx::sum(tx::sin(lower)) + tx::sum(tx::cos(diagonal)); }, good);
}

TEST_CASE("null_space: of a matrix whose type leaves its extents open") {
    tx::tensor<double, tx::shape<1, 3>> const a{{1, 2, 2}};
    auto const known = tx::linalg::null_space<2>(a);
    tx::tensor<double, tx::shape<tx::dyn, tx::dyn>> const open = a;
    auto const vectors = tx::linalg::null_space<2>(open);
    CHECK(tx::all(tx::abs(tx::matmul(a, vectors)) < 1e-14));
    CHECK(tx::allclose(tx::matmul(vectors, tx::transpose(vectors)), tx::matmul(known, tx::transpose(known)))); // the projection on it
    CHECK(tx::linalg::null_space<0>(open).size() == 0);
}
