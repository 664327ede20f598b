// expect: tx: capture: what is captured doesn't change
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
auto run(vec w, vec const& x) {
#ifdef FIXED
    tx::function next{[w = tx::capture_ref(w)](auto x) { return w - x; }};
    w = next(x);
    return w;
#else
    tx::function next{[w = tx::capture_ref(w)](auto x) {
        w = w - x;
        return x;
    }};
    return next(x);
#endif
}
