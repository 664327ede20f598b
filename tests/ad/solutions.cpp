// Derivatives of what is made of qr, svd and products: pinv, lstsq, matrix_power and norms of matrices, against central differences.
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
tx::host_array const columns = spread({{3, 2}, 2}, -1, 1), vector = spread({{3}, 1}, -1, 1, 2);

} // namespace

TEST_CASE("derivatives: pinv") { check_derivatives<pinv, real<3, 2>>({tall}); }
TEST_CASE("derivatives: lstsq") {
    check_derivatives<lstsq, real<3, 2>, real<3, 2>>({tall, columns});
    check_derivatives<lstsq, real<n, n>, real<n>>({tall, vector});
}
TEST_CASE("derivatives: matrix_power") {
    check_derivatives<matrix_power<3>, real<3, 3>>({square});
    check_derivatives<matrix_power<-1>, real<3, 3>>({square});
}
TEST_CASE("derivatives: norms of matrices") { check_derivatives<norms, real<3, 2>>({tall}); }
