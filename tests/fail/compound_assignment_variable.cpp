// expect: tx: a variable is changed by v.assign_add(y)
#include <tracexpr/tracexpr.hpp>

tx::variable<float, tx::shape<3>> v;
#ifdef FIXED
void next() { v.assign_add(1.0f); }
#else
void next() { v += 1.0f; }
#endif
