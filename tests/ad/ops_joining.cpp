// This file tests derivatives of ops that join tensors.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

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

TEST_CASE("derivatives: joining") {
    check_derivatives<joining, real<3, 4>, real<3, 4>>({x, y});
    check_derivatives<joining, real<3, n>, real<n, n>>({x, y});
}
