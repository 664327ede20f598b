// expect: tx: capture: what is captured doesn't change
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
auto run(vec w, vec const& x) {
#ifdef FIXED
    tx::function next{[w = tx::capture_ref(w)](auto y) { return w - y; }};
    w = next(x);
    return w;
#else
    tx::function next{[w = tx::capture_ref(w)](auto y) {
        w = w - y;
        return y;
    }};
    return next(x);
#endif
}
