// expect: tx: zeros, ones, arange and linspace take the dtype as a template argument
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run() { return tx::arange<float>(10) + tx::linspace<float>(0, 1, 10); }
#else
auto run() { return tx::arange(10); }
#endif
