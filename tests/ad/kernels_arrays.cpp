// This file tests that compiled derivatives of reductions, scans and products compute what the reference executor computes.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

struct arrays {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(softmax(x), logsumexp(x, tx::axis<0>), prod(x, tx::axis<1>), cumprod(x, tx::axis<1>), norm(x), matmul(transpose(x), x));
    }
};
constexpr double epsilons = 1e5; // sums cancel; 2e-11

} // namespace

TEST_CASE("derivatives: kernels of arrays") {
    check_static_derivatives<arrays, real_of_shape<3, 5>>({spread({{3, 5}, 2}, -1.5, 1.5)}, epsilons);
}
