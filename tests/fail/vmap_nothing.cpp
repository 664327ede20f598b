// expect: tx: vmap: at least one argument must be mapped
#include <tracexpr/tracexpr.hpp>

tx::tensor<double, tx::shape<3>> const v{1, 2, 3};

#ifdef FIXED
auto run() { return tx::vmap<0>([](auto a) { return a * a; })(v); }
#else
auto run() { return tx::vmap<tx::none>([](auto a) { return a * a; })(v); }
#endif
