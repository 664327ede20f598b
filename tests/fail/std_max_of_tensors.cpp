// expect: tx::maximum(a, b) replaces std::max
#include <tracexpr/tracexpr.hpp>
#include <algorithm>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
vec larger(vec const& x, vec const& y) { return tx::maximum(x, y); }
#else
vec larger(vec const& x, vec const& y) { return std::max(x, y); }
#endif
