// expect: tx: static_function: the callable captures a value that is not tx::capture'd
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;

auto run(vec const& w, float const by) {
#ifdef FIXED
    tx::static_function scaled{[w = tx::capture(w), by = tx::capture(by)](auto x) { return x * w * by; }};
#else
    tx::static_function scaled{[w = tx::capture(w), &by](auto x) { return x * w * by; }};
#endif
    return scaled(vec{1, 2});
}
