// To time compilers with: the gradient of a mixture's log likelihood, its extents known or, with TRACEXPR_UNKNOWN, not.
#include <tracexpr/tracexpr.hpp>

namespace {

constexpr auto likelihood = [](auto logits, auto means, auto logs, auto x) {
    auto const z = (tx::expand_dims<1>(x) - means) * tx::exp(-logs); // [n, K, d]
    auto const densities = tx::sum(-0.5f * z * z - logs, tx::axis<2>);
    return tx::sum(tx::logsumexp(tx::log_softmax(logits) + densities, tx::axis<1>));
};
#ifdef TRACEXPR_UNKNOWN
using vector = tx::tensor<float, tx::shape<tx::dyn>>;
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using points = matrix;
#else
using vector = tx::tensor<float, tx::shape<16>>;
using matrix = tx::tensor<float, tx::shape<16, 8>>;
using points = tx::tensor<float, tx::shape<10'000, 8>>;
#endif

} // namespace

auto call(vector const& logits, matrix const& means, matrix const& logs, points const& x) {
    static tx::static_function f{tx::grad<0, 1, 2>(likelihood)};
    return f(logits, means, logs, x);
}
