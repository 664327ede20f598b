// expect: tx: set_where: the mask must be bool
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto clear(vec const& x, vec const& mask) { return tx::set_where(x, mask != 0, 0); }
#else
auto clear(vec const& x, vec const& mask) { return tx::set_where(x, mask, 0); }
#endif
