// expect: tx: logspace, geomspace: the dtype must be floating
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run() { return tx::logspace<double, 2>(0, 1); }
#else
auto run() { return tx::logspace<int, 2>(0, 1); }
#endif
