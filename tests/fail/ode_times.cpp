// expect: tx: ode: the times must be a vector
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::ode([](auto const& y, auto const&) { return y; }, x, tx::reshape<-1>(x)); }
#else
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::ode([](auto const& y, auto const&) { return y; }, x, x); }
#endif
