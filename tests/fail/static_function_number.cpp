// expect: tx: static_function: the callable's members must be tensors
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
struct scaled {
#ifdef FIXED
    tx::tensor<float, tx::shape<>> by;
#else
    float by;
#endif
    constexpr auto operator()(auto x) const { return x * by; }
};
tx::static_function const f{scaled{2}};
auto run(vec const& x) { return f(x); }
