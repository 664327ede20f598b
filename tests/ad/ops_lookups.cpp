// This file tests derivatives of lookups and of products.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

struct lookups {
    template <class X, class I, class J> constexpr auto operator()(X const& x, I const& i, J const& j) const {
        auto const q = square(x);
        return std::tuple(take(q, i, tx::axis<0>), take(q, i, tx::axis<1>), take_along_axis(q, j, tx::axis<1>), take_along_axis(q, j, tx::axis<0>), take(q, j, tx::axis<0>));
    }
};
struct products {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const { return std::tuple(matmul(x, y), matmul(square(x), y)); }
};
template <std::int64_t... E> using real = real_of_shape<E...>;
template <std::int64_t... E> using places = tx::tensor<std::int64_t, tx::shape<E...>>;
constexpr std::int64_t n = tx::dyn;

} // namespace

TEST_CASE("derivatives: lookups with repeated and negative indices") {
    tx::host_array const x = spread({{3, 4}, 2}, -1.5, 1.5);
    tx::host_array const i = array_of<std::int64_t>({{4}, 1}, {2, -1, 2, 0}), j = array_of<std::int64_t>({{3, 4}, 2}, {0, 0, -1, 1, 2, -2, 2, 2, 1, 0, -3, 2});
    check_derivatives<lookups, real<3, 4>, places<4>, places<3, 4>>({x, i, j});
    check_derivatives<lookups, real<n, n>, places<n>, places<n, n>>({x, i, j});
}
TEST_CASE("derivatives: products") {
    check_derivatives<products, real<2, 3>, real<3, 2>>({spread({{2, 3}, 2}, -1, 1), spread({{3, 2}, 2}, -1, 1, 2)});
    check_derivatives<products, real<3>, real<3, 2>>({spread({{3}, 1}, -1, 1), spread({{3, 2}, 2}, -1, 1, 2)});
    check_derivatives<products, real<2, 3>, real<3>>({spread({{2, 3}, 2}, -1, 1), spread({{3}, 1}, -1, 1, 2)});
    check_derivatives<products, real<2, 1, 2, 3>, real<2, 3, 1>>({spread({{2, 1, 2, 3}, 4}, -1, 1), spread({{2, 3, 1}, 3}, -1, 1, 2)});
    check_derivatives<products, real<n, n, n>, real<n, n>>({spread({{2, 2, 3}, 3}, -1, 1), spread({{3, 1}, 2}, -1, 1, 2)});
}
