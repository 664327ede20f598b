// This file tests derivatives of views.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

// Squares make what is linear bend.
struct views {
    template <class X> constexpr auto operator()(X const& x) const {
        auto const q = square(x);
        return std::tuple(transpose(q), tx::reshape<-1>(q), flip(q), flip(q, tx::axis<1>), tx::expand_dims<1>(q) * q, tx::squeeze<0>(tx::expand_dims<0>(q)),
                          tx::broadcast_to<2, 3, 4>(q), slice(q, tx::range<0, tx::open, 2>), slice(q, tx::ellipsis, tx::range<-1, tx::open, -2>), slice(q, tx::at<-1>, tx::range<1, 3>),
                          diagonal(q), tx::diagonal<1>(q), tril(q), triu(q), roll<1>(q), tx::tile<2, 1>(q), tx::repeat<2>(q), trace(q), tx::sliding_window_view<2, 3>(q));
    }
};
template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

tx::host_array const x = spread({{3, 4}, 2}, -1.5, 1.5);

} // namespace

TEST_CASE("derivatives: views") {
    check_derivatives<views, real<3, 4>>({x});
    check_derivatives<views, real<3, n>>({x});
}
