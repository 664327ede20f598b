// expect: tx: vmap: the result must have the axis that out_axes names
#include <tracexpr/tracexpr.hpp>

tx::tensor<double, tx::shape<3>> const v{1, 2, 3};

#ifdef FIXED
auto run() { return tx::vmap<0>([](auto a) { return a * a; }, tx::out_axes<0>)(v); }
#else
auto run() { return tx::vmap<0>([](auto a) { return a * a; }, tx::out_axes<1>)(v); }
#endif
