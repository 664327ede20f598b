// This file tests derivatives of pointwise ops of one operand.
#include <ad/derivative_checks.hpp>
#include <ad/pointwise_functors.hpp>

using namespace tx::testing;
using namespace tx::testing::pointwise;

namespace {

struct rounding {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(floor(x), ceil(x), round(x), trunc(x), sign(x), x - floor(x), tx::cast<double>(tx::cast<int>(x)));
    }
};
using vector = real_of_shape<4>;

} // namespace

TEST_CASE("derivatives: one operand, anywhere") {
    check_derivatives<anywhere, vector>({array_of<double>({{4}, 1}, {0.7, -1.45, 1.1, -0.5})});
}
TEST_CASE("derivatives: one operand, positive") {
    check_derivatives<positive, vector>({array_of<double>({{4}, 1}, {0.7, 1.4, 2.6, 9})});
}
TEST_CASE("derivatives: one operand, between -1 and 1") {
    check_derivatives<inside_one, vector>({array_of<double>({{4}, 1}, {0.7, 0.1, -0.3, -0.75})});
}
TEST_CASE("derivatives: rounding and integers have none") { check_derivatives<rounding, vector>({array_of<double>({{4}, 1}, {0.7, 1.4, -2.6, -0.2})}); }
