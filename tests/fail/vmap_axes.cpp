// expect: tx: vmap: takes an axis, or tx::none, for each argument of the call
#include <tracexpr/tracexpr.hpp>

tx::tensor<double, tx::shape<3>> const v{1, 2, 3};

#ifdef FIXED
auto run() { return tx::vmap<0, 0>([](auto a, auto b) { return a * b; })(v, v); }
#else
auto run() { return tx::vmap<0>([](auto a, auto b) { return a * b; })(v, v); }
#endif
