// expect: tx: lexsort: takes real numbers with a key in each of as many rows
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::lexsort(x, x); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::lexsort(x); }
#endif
