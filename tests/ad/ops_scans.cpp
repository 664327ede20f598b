// This file tests derivatives of scans, and of products of zeros, which are composed of scans.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

struct polynomials {
    template <class X> constexpr auto operator()(X const& x) const { return std::tuple(prod(x, tx::axis<0>), prod(x, tx::axis<1>), prod(x), cumprod(x, tx::axis<1>), cumprod(x, tx::axis<0>)); }
};
struct scans {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(cumsum(x, tx::axis<0>), cumsum(x, tx::axis<1>), cumprod(x, tx::axis<0>), cumprod(x, tx::axis<-1>), cummax(x, tx::axis<0>), cummax(x, tx::axis<1>), cummin(x, tx::axis<1>));
    }
};
template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

} // namespace

TEST_CASE("derivatives: products of zeros") {
    // Where extents are unknown, cumprod's rule is right to the first order.
    for (auto const& values : {std::vector<double>{0, -1.3, 1.6, 0.7, 0, 0}, std::vector<double>{0, 0, 0, 0.5, 1.2, 0}, std::vector<double>{0, 0, 0, 0, 0, 0}})
        {
        check_derivatives<polynomials, real<2, 3>>({array_of<double>({{2, 3}, 2}, values)});
        check_first_derivatives<polynomials, real<n, n>>({array_of<double>({{2, 3}, 2}, values)});
    }
}
TEST_CASE("derivatives: scans") {
    tx::host_array const x = array_of<double>({{2, 3}, 2}, {0.8, 1.3, -1.6, -0.45, 1.25, 1.9});
    check_derivatives<scans, real<2, 3>>({x});
    check_derivatives<scans, real<n, 3>>({x});
}
TEST_CASE("derivatives: extents of 0 and 1") {
    check_derivatives<scans, real<1, 2>>({array_of<double>({{1, 2}, 2}, {0.8, 1.3})});
    check_derivatives<scans, real<0, 2>>({array_of<double>({{0, 2}, 2}, {})});
    check_derivatives<polynomials, real<0, 2>>({array_of<double>({{0, 2}, 2}, {})});
}
