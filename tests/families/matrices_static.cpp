// This file tests functions of matrices in traces that the compiler makes, and one gradient.
#include <tracexpr/matrices.hpp>

#include <doctest/doctest.h>

namespace {

namespace la = tx::linalg;
using matrix = tx::tensor<double, tx::shape<2, 2>>;
matrix const a{{3, 1}, {0.5, 2}};

} // namespace

TEST_CASE("matrices: the compiler traces loops, and what is made of factors") {
    constexpr auto expm = [](auto x) { return la::expm(x); };
    tx::static_function const f{expm};
    CHECK(tx::all(tx::abs(f(a) - la::expm(a)) < 1e-12).item());
    constexpr auto lower = [](auto x) { return std::get<1>(la::lu(x)); };
    tx::static_function const g{lower};
    CHECK(tx::all(tx::abs(g(a) - lower(a)) < 1e-12).item());
}
TEST_CASE("matrices: a gradient in the compiler's trace") {
    constexpr auto total = [](auto d, auto x) { return tx::sum(la::solve_tridiagonal(x, d, x, x)); };
    tx::static_function const slope{tx::grad(total)};
    tx::tensor<double, tx::shape<3>> const d{4, 5, 6}, x{1, 2, 1};
    CHECK(tx::all(tx::abs(slope(d, x) - tx::grad(total)(d, x)) < 1e-12).item());
}
