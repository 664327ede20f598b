// This file tests derivatives of functions that are composed of products, solve and svd: matrix_power and norms of matrices,
// against central differences.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {

template <std::int64_t... E> using real = real_of_shape<E...>;

template <int N> struct matrix_power {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::matrix_power<N>(a); }
};
struct norms {
    template <class A> constexpr auto operator()(A const& a) const {
        return std::tuple(linalg::norm(a, tx::order<1>), linalg::norm(a, tx::order<2>), linalg::norm(a, tx::order<-2>), linalg::norm(a, tx::order_inf),
                          linalg::norm(a, linalg::nuclear), linalg::norm(a, linalg::frobenius));
    }
};

tx::host_array const square = array_of<double>({{3, 3}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2, -0.5, 0.6, 2});
tx::host_array const tall = array_of<double>({{3, 2}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2});

} // namespace

TEST_CASE("derivatives: matrix_power") {
    check_derivatives<matrix_power<3>, real<3, 3>>({square});
    check_derivatives<matrix_power<-1>, real<3, 3>>({square});
}
TEST_CASE("derivatives: norms of matrices") { check_derivatives<norms, real<3, 2>>({tall}); }
