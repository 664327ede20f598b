// expect: tx: capture: what is captured is read at each call, and a number in a struct can't be
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;
struct scaled {
    vec weights;
#ifdef FIXED
    tx::tensor<float, tx::shape<>> by;
#else
    float by;
#endif
    constexpr auto operator()(auto x) const { return x * weights * by; }
};

auto run(scaled const& s) {
    tx::static_function f{[s = tx::capture(s)](auto x) { return s(x); }};
    return f(vec{1, 2});
}
