// expect: tx: a tensor has no []
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
float run(vec const& x) { return x(0); }
#else
float run(vec const& x) { return x[0]; }
#endif
