// This file tests derivatives of decompositions and solutions of square matrices, against central differences and closed forms.
// cholesky assumes that its operand is symmetric.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {

template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

struct cholesky {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::cholesky(a); }
};
struct solve {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const { return linalg::solve(a, b); }
};
struct inv {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::inv(a); }
};
template <class... Form> struct solve_triangular {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const { return linalg::solve_triangular(a, b, Form{}...); }
};

// Positive definite, and not quite symmetric; the second of two.
tx::host_array const definite = array_of<double>({{3, 3}, 2}, {4, 0.5, -0.7, 0.9, 3, 0.2, -0.5, 0.6, 2});
tx::host_array const two_definite = array_of<double>({{2, 2, 2}, 3}, {2, 0.3, 0.5, 1, 1.5, -0.7, -0.9, 3});
// Whose largest elements of a column are not all on the diagonal.
tx::host_array const general = array_of<double>({{3, 3}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2, -0.5, 0.6, 2});
tx::host_array const columns = spread({{3, 2}, 2}, -1, 1), vector = spread({{3}, 1}, -1, 1, 2), wide = spread({{2, 1, 2, 1}, 4}, -1, 1, 3);

} // namespace

TEST_CASE("derivatives: cholesky") {
    check_derivatives<cholesky, real<3, 3>>({definite});
    check_derivatives<cholesky, real<n, n, n>>({two_definite});
}
TEST_CASE("derivatives: solve") {
    check_derivatives<solve, real<3, 3>, real<3, 2>>({general, columns});
    check_derivatives<solve, real<n, n>, real<n>>({general, vector});
}
TEST_CASE("derivatives: solve, where matrices and right sides broadcast") { check_derivatives<solve, real<2, 2, 2>, real<2, 1, 2, 1>>({two_definite, wide}); }
TEST_CASE("derivatives: inv") { check_derivatives<inv, real<3, 3>>({general}); }
TEST_CASE("derivatives: solve_triangular") {
    check_derivatives<solve_triangular<>, real<3, 3>, real<3, 2>>({definite, columns});
    check_derivatives<solve_triangular<linalg::lower_t, linalg::transposed_t>, real<n, n>, real<n>>({definite, vector});
    check_derivatives<solve_triangular<linalg::unit_diagonal_t, linalg::lower_t>, real<2, 2, 2>, real<2, 1, 2, 1>>({two_definite, wide});
}
