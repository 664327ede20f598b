// expect: tx: logspace, geomspace: the number of elements must not be negative
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run() { return tx::logspace<double, 1>(0, 1); }
#else
auto run() { return tx::logspace<double, -1>(0, 1); }
#endif
