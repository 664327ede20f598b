// expect: tx: capture_ref: refers to what must outlive the function
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
vec made();
auto f() {
#ifdef FIXED
    return tx::function{[w = tx::capture_copy(made())](auto x) { return x * w; }};
#else
    return tx::function{[w = tx::capture_ref(made())](auto x) { return x * w; }};
#endif
}
