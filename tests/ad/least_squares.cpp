// This file tests derivatives of pinv and lstsq against central differences. Singular values may be equal, and 0 where the rank
// does not change.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {

template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

struct pinv {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::pinv(a); }
};
struct lstsq {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const { return std::get<0>(linalg::lstsq(a, b)); }
};
struct pinv_of_product {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const { return linalg::pinv(tx::matmul(a, b)); }
};

tx::host_array const tall = array_of<double>({{3, 2}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2});
tx::host_array const wide = array_of<double>({{2, 3}, 2}, {0.5, -0.2, 1.1, 0.7, 1.3, -0.4});
tx::host_array const identity = array_of<double>({{3, 3}, 2}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
tx::host_array const identity_and_reflection =
    array_of<double>({{2, 3, 3}, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 7 / 9., -4 / 9., -4 / 9., -4 / 9., 1 / 9., -8 / 9., -4 / 9., -8 / 9., 1 / 9.});
tx::host_array const orthonormal = array_of<double>({{4, 2}, 2}, {0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5, -0.5}); // in its columns
tx::host_array const rows = array_of<double>({{2, 3}, 2}, {0.6, 0, 0.8, 0, 1, 0});                             // in its rows
tx::host_array const columns = spread({{3, 2}, 2}, -1, 1), vector = spread({{3}, 1}, -1, 1, 2);

} // namespace

TEST_CASE("derivatives: pinv") {
    check_derivatives<pinv, real<3, 2>>({tall});
    check_derivatives<pinv, real<2, 3>>({wide});
    check_derivatives<pinv, real<n, n>>({tall});
}
TEST_CASE("derivatives: pinv where singular values are equal") {
    check_derivatives<pinv, real<3, 3>>({identity});
    check_derivatives<pinv, real<2, 3, 3>>({identity_and_reflection});
    check_derivatives<pinv, real<n, n>>({orthonormal});
    check_derivatives<pinv, real<0, 3>>({spread({{0, 3}, 2}, 0, 1)});
}
// Steps of the factors keep the rank of their product, which is less than its extents.
TEST_CASE("derivatives: pinv of a matrix of less than full rank") {
    check_derivatives<pinv_of_product, real<3, 2>, real<2, 3>>({tall, wide});
    check_derivatives<pinv_of_product, real<n, 2>, real<2, n>>({orthonormal, rows});
}
TEST_CASE("derivatives: lstsq") {
    check_derivatives<lstsq, real<3, 2>, real<3, 2>>({tall, columns});
    check_derivatives<lstsq, real<n, n>, real<n>>({tall, vector});
    check_derivatives<lstsq, real<2, 3>, real<2>>({wide, spread({{2}, 1}, -1, 1, 3)});
}
TEST_CASE("derivatives: lstsq where singular values are equal") {
    check_derivatives<lstsq, real<3, 3>, real<3>>({identity, vector});
    check_derivatives<lstsq, real<2, 3, 3>, real<3, 2>>({identity_and_reflection, columns});
    check_derivatives<lstsq, real<n, n>, real<n>>({orthonormal, spread({{4}, 1}, -1, 1, 2)});
}
