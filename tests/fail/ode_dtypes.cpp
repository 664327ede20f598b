// expect: tx: ode: y0 and the times must be floating, of one dtype; cast one of them
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& x) { return tx::ode([](auto const& y, auto const&) { return y; }, x, x); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& x) { return tx::ode([](auto const& y, auto const&) { return y; }, x, tx::cast<double>(x)); }
#endif
