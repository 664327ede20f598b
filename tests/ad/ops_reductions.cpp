// This file tests derivatives of reductions, and of functions that are composed of them.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

template <int... Axes> struct reductions {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(sum(x, tx::axis<Axes...>), prod(x, tx::axis<Axes...>), max(x, tx::axis<Axes...>), min(x, tx::axis<Axes...>, tx::keepdims), nanmax(x, tx::axis<Axes...>), nanmin(x, tx::axis<Axes...>, tx::keepdims),
                          mean(x, tx::axis<Axes...>, tx::keepdims), var(x, tx::axis<Axes...>), tx::std(x, tx::axis<Axes...>, tx::ddof<1>), norm(x, tx::axis<Axes...>),
                          logsumexp(x, tx::axis<Axes...>), softmax(x, tx::axis<Axes...>), log_softmax(x, tx::axis<Axes...>));
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
