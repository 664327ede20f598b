// expect: tx: static_function: the callable captures a value
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;

#ifdef FIXED
auto run(float) {
    tx::static_function scaled{[](auto x, auto factor) { return x * factor; }};
    return scaled(vec{1, 2}, 3.f);
}
#else
auto run(float by) {
    tx::static_function scaled{[by](auto x) { return x * by; }};
    return scaled(vec{1, 2});
}
#endif
