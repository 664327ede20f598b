// expect: tx: max and min are those of one tensor
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x) { return tx::maximum(x, 0); }
#else
auto run(vec const& x) { return tx::max(x, 0); }
#endif
