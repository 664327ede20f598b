// Derivatives of what moves elements: views and joining.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

// Squares make what is linear bend.
struct views {
    template <class X> constexpr auto operator()(X const& x) const {
        auto const q = square(x);
        return std::tuple(transpose(q), tx::reshape<-1>(q), flip(q), flip(q, tx::axis<1>), tx::expand_dims<1>(q) * q, tx::squeeze<0>(tx::expand_dims<0>(q)),
                          tx::broadcast_to<2, 3, 4>(q), slice(q, tx::range<0, tx::open, 2>), slice(q, tx::ellipsis, tx::range<-1, tx::open, -2>), slice(q, tx::at<-1>, tx::range<1, 3>),
                          diagonal(q), tx::diagonal<1>(q), tril(q), triu(q), roll<1>(q), tx::tile<2, 1>(q), tx::repeat<2>(q), trace(q));
    }
};
struct joining {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        auto const q = square(x);
        return std::tuple(concat(tx::axis<0>, q, y, x), concat(tx::axis<1>, y, q), stack(tx::axis<1>, q, y), pad(q, tx::widths<1>), pad(q, tx::widths<1, 0, 0, 2>, tx::edge),
                          pad(q * y, tx::widths<1, 1>, tx::reflect));
    }
};
template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

tx::host_array const x = spread({{3, 4}, 2}, -1.5, 1.5), y = spread({{3, 4}, 2}, -1.5, 1.5, 2);

} // namespace

TEST_CASE("derivatives: views") {
    check_derivatives<views, real<3, 4>>({x});
    check_derivatives<views, real<3, n>>({x});
}
TEST_CASE("derivatives: joining") {
    check_derivatives<joining, real<3, 4>, real<3, 4>>({x, y});
    check_derivatives<joining, real<3, n>, real<n, n>>({x, y});
}
