// expect: tx: static_function: the compiler can't trace the callable
// errors: 2
// shows: only the run knows it
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::static_function const mean{[](auto x) { return tx::sum(x) / tx::extent<0>(x); }};
#else
tx::static_function const mean{[](auto x) { return tx::sum(x) / x.extent(0); }};
#endif

auto run(tx::tensor<float, tx::shape<tx::dyn>> const& x) { return mean(x); }
