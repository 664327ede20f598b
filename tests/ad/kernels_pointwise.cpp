// This file tests that compiled derivatives of pointwise ops compute what the reference executor computes.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

struct pointwise {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(exp(x) * y, lgamma(x * x), atan2(x, y), maximum(x, y), where(x < y, sin(x), y), logaddexp(x, y));
    }
};
constexpr double epsilons = 1e5; // sums cancel; 2e-11

} // namespace

TEST_CASE("derivatives: kernels of pointwise ops") {
    check_static_derivatives<pointwise, real_of_shape<tx::dyn>, real_of_shape<2, 1>>({spread({{13}, 1}, 0.4, 2), spread({{2, 1}, 2}, 0.5, 2, 2)}, epsilons);
}
