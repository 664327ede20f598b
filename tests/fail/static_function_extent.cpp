// expect: throw_unknown_extent | must be initialized by a constant expression
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::static_function const mean{[](auto x) { return tx::sum(x) / tx::extent<0>(x); }};
#else
tx::static_function const mean{[](auto x) { return tx::sum(x) / x.extent(0); }};
#endif

auto run(tx::tensor<float, tx::shape<tx::dyn>> const& x) { return mean(x); }
