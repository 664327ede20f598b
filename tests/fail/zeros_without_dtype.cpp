// expect: tx: zeros, ones, arange and linspace take the dtype as a template argument
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run() { return tx::zeros<float>(2, 3); }
#else
auto run() { return tx::zeros(2, 3); }
#endif
