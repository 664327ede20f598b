// expect: tx: where: takes a condition and both values
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x) { return tx::where(x > 0, x, 0); }
#else
auto run(vec const& x) { return tx::where(x > 0, x); }
#endif
