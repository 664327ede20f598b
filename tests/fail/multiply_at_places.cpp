// expect: tx: multiply_at, min_at, max_at: places must be single ones or ranges
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
using places = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto doubled(vec const& x, places const& i) { return tx::set(x, tx::take(x, i) * 2, i); }
#else
auto doubled(vec const& x, places const& i) { return tx::multiply_at(x, 2, i); }
#endif
