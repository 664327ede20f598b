// expect: tx: static_function: the compiler must know every argument's rank
#include <tracexpr/tracexpr.hpp>

tx::static_function const doubled{[](auto x) { return x * 2; }};

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<tx::dyn>> const& x) { return doubled(x); }
#else
auto run(tx::tensor<float> const& x) { return doubled(x); }
#endif
