// expect: tx: static_function: the compiler can't trace the callable
// errors: 2
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::static_function const ones{[](auto x) { return tx::ones<float, tx::shape<tx::dyn>>(tx::size(x)); }};
#else
tx::static_function const ones{[](auto x) { return tx::ones<float, tx::shape<tx::dyn>>(tx::sum(x)); }};
#endif

auto run(tx::tensor<int, tx::shape<tx::dyn>> const& x) { return ones(x); }
