// expect: tx: polyder, polyint: the number of times must not be negative
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::polyder<1>(x); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::polyder<-1>(x); }
#endif
