// expect: tx: vmap: a mapped argument must have the axis along which it is mapped
#include <tracexpr/tracexpr.hpp>

tx::tensor<double, tx::shape<3>> const v{1, 2, 3};

#ifdef FIXED
auto run() { return tx::vmap<0, tx::none>([](auto a, auto s) { return a * s; })(v, 2.0); }
#else
auto run() { return tx::vmap([](auto a, auto s) { return a * s; })(v, 2.0); }
#endif
