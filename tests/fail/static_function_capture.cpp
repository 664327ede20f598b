// expect: tx: static_function: the callable captures a value that is not tx::capture'd
// shows: write [w = tx::capture(w)]
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;

auto run(float by) {
#ifdef FIXED
    tx::static_function scaled{[by = tx::capture(by)](auto x) { return x * by; }};
#else
    tx::static_function scaled{[by](auto x) { return x * by; }};
#endif
    return scaled(vec{1, 2});
}
