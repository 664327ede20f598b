// expect: is not captured | cannot be implicitly captured
// errors: 3
// lines: 100
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
auto run(vec const& x) {
    float k = 2;
#ifdef FIXED
    tx::function const f{[k](auto a) { return a * k; }};
#else
    tx::function const f{[](auto a) { return a * k; }};
#endif
    return f(x);
}
