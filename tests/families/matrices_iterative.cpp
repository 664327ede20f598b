// This file tests iterative solvers and differential equations.
#include <tracexpr/matrices.hpp>

#include <family_checks.hpp>

#include <cmath>

namespace {

namespace la = tx::linalg;
using tx::testing::difference;
using vec = tx::tensor<double, tx::shape<5>>;
using matrix = tx::tensor<double, tx::shape<5, 5>>;
matrix const definite{{4, 1, 0, 0.5, 0}, {1, 5, 1, 0, 0}, {0, 1, 3, 1, 0.2}, {0.5, 0, 1, 6, 1}, {0, 0, 0.2, 1, 2}};
matrix const general{{4, 1, 0, -0.5, 0}, {-1, 5, 1, 0, 0}, {0, 2, 3, 1, 0.2}, {0.5, 0, -1, 6, 1}, {0, 0.3, 0.2, -1, 2}};
vec const b{1, -2, 3, 0.5, 1};

} // namespace

TEST_CASE("conjugate_gradient: the solution of a definite system, with and without a preconditioner") {
    auto const a = [](auto const& x) { return tx::matmul(definite, x); };
    CHECK(difference(la::conjugate_gradient(a, b, {.tolerance = 1e-12}), la::solve(definite, b), 1e-10) == "");
    auto const jacobi = [](auto const& x) { return x / tx::diagonal(definite); };
    CHECK(difference(la::conjugate_gradient(a, b, la::iterative_options{.tolerance = 1e-12, .preconditioner = jacobi}), la::solve(definite, b), 1e-10) == "");
    CHECK(tx::equal(la::conjugate_gradient(a, b * 0.0), b * 0.0));
    CHECK(!tx::equal(la::conjugate_gradient(a, b, {.max_iterations = 1}), la::conjugate_gradient(a, b, {.max_iterations = 2})));
}
TEST_CASE("conjugate_gradient: traced, under vmap, and derivatives") {
    constexpr auto f = [](auto m, auto x) { return la::conjugate_gradient([&](auto const& v) { return tx::matmul(m, v); }, x, {.tolerance = 1e-13}); };
    tx::testing::check_in_all_forms(f, la::solve(definite, b), 1e-10, 1e-12, definite, b);
    auto const slope = tx::grad([](auto x) { return tx::sum(tx::sin(la::conjugate_gradient([&](auto const& v) { return tx::matmul(definite, v); }, x, {.tolerance = 1e-13}))); });
    auto const wanted = tx::grad([](auto x) { return tx::sum(tx::sin(la::solve(definite, x))); });
    CHECK(difference(slope(b), wanted(b), 1e-8, 1e-9) == "");
}
TEST_CASE("bicgstab, gmres: the solution of a general system") {
    auto const a = [](auto const& x) { return tx::matmul(general, x); };
    CHECK(difference(la::bicgstab(a, b, {.tolerance = 1e-12}), la::solve(general, b), 1e-10) == "");
    CHECK(difference(la::gmres(a, b, {.tolerance = 1e-12}), la::solve(general, b), 1e-10) == "");
    CHECK(difference(la::gmres<3>(a, b, {.tolerance = 1e-12}), la::solve(general, b), 1e-10) == "");
    constexpr auto f = [](auto m, auto x) { return la::gmres<3>([&](auto const& v) { return tx::matmul(m, v); }, x, {.tolerance = 1e-12}); };
    CHECK(difference(tx::function{f}(general, b), la::solve(general, b), 1e-10) == "");
    constexpr auto g = [](auto m, auto x) { return la::bicgstab([&](auto const& v) { return tx::matmul(m, v); }, x, {.tolerance = 1e-12}); };
    CHECK(difference(tx::function{g}(general, b), la::solve(general, b), 1e-10) == "");
}
