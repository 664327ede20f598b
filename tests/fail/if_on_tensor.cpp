// expect: tx: an if takes a tensor of one element
#include <tracexpr/tracexpr.hpp>

tx::tensor<float, tx::shape<2, 2>> const a{{1, 2}, {3, 4}}, b = a;
#ifdef FIXED
bool same() { return tx::all(a == b) ? true : false; }
#else
bool same() { return a == b ? true : false; }
#endif
