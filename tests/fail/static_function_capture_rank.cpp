// expect: or has no rank; write [w = tx::capture(w)] of a tensor whose type tells its rank
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
using weights = tx::tensor<float, tx::shape<tx::dyn>>;
#else
using weights = tx::tensor<float>;
#endif

auto run(weights const& w) {
    tx::static_function scaled{[w = tx::capture(w)](auto x) { return x * w; }};
    return scaled(2.f);
}
