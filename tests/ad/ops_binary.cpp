// This file tests derivatives of pointwise ops of two and three operands, which broadcast.
#include <ad/derivative_checks.hpp>
#include <ad/pointwise_functors.hpp>

using namespace tx::testing;
using namespace tx::testing::pointwise;

namespace {

struct constants {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(pow(x, 0), pow(x, 1), pow(x, 2), pow(x, 3), pow(x, -1), pow(x, -2.0), pow(square(x), 1.5), pow(2.0, x), pow(square(x), x), x / 3, 3 / x,
                          remainder(x, 0.75), fmod(x, 0.75), maximum(0.5, x), clip(x, -0.6, 0.6));
    }
};
template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

tx::host_array const left = array_of<double>({{2, 1, 2}, 3}, {0.8, -1.3, 2.6, -0.45}), right = array_of<double>({{3, 1}, 2}, {1.1, -0.7, 1.9});

} // namespace

TEST_CASE("derivatives: two operands that broadcast") {
    check_derivatives<pairs, real<2, 1, 2>, real<3, 1>>({left, right});
    check_derivatives<pairs, real<n, n, n>, real<n, n>>({left, right});
}
TEST_CASE("derivatives: a constant operand") { check_derivatives<constants, real<4>>({array_of<double>({{4}, 1}, {0.8, -1.3, 2.6, -0.45})}); }
TEST_CASE("derivatives: three operands") {
    check_derivatives<three, real<4>, real<2, 1>, real<>>({array_of<double>({{4}, 1}, {0.8, -1.3, 2.6, -0.45}), array_of<double>({{2, 1}, 2}, {-0.9, 0.3}), array_of<double>({{}, 0}, {1.7})});
}
