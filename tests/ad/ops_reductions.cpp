// Derivatives of reductions, scans and what is made of them.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

template <int... Axes> struct reductions {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(sum(x, tx::axis<Axes...>), prod(x, tx::axis<Axes...>), max(x, tx::axis<Axes...>), min(x, tx::axis<Axes...>, tx::keepdims),
                          mean(x, tx::axis<Axes...>, tx::keepdims), var(x, tx::axis<Axes...>), tx::std(x, tx::axis<Axes...>, tx::ddof<1>), norm(x, tx::axis<Axes...>),
                          logsumexp(x, tx::axis<Axes...>), softmax(x, tx::axis<Axes...>), log_softmax(x, tx::axis<Axes...>));
    }
};
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

TEST_CASE("derivatives: reductions") {
    tx::host_array const x = array_of<double>({{2, 3}, 2}, {0.8, -1.3, 1.6, -0.45, 1.25, 0.3});
    check_derivatives<reductions<1>, real<2, 3>>({x});
    check_derivatives<reductions<0, 1>, real<2, 3>>({x});
    check_derivatives<reductions<0>, real<n, n>>({x});
}
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
