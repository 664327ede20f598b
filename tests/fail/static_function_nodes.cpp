// expect: record at most 4032 nodes, so make a long loop one of tx::scan or tx::fori_loop
// errors: 2
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
constexpr int steps = 50;
#else
constexpr int steps = 20'000;
#endif
constexpr auto decay = [](auto x, auto w) {
    auto h = x;
    for (int k = 0; k < steps; ++k) h = h * w + x;
    return h;
};
tx::static_function const f{decay};
auto run(vec const& x, vec const& w) { return f(x, w); }
