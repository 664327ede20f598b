// expect: tx: static_function: the compiler can't trace the callable
// errors: 3
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
struct layer {
    vec weights;
#ifdef FIXED
    constexpr
#endif
    auto operator()(auto x) const { return x * weights; }
};
tx::static_function const f{layer{{1, 2, 3}}};
auto run(vec const& x) { return f(x); }
