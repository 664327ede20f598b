// expect: tx: set, add_at and their kin: the result has the dtype of x, which the value does not fit
#include <tracexpr/tracexpr.hpp>

using counts = tx::tensor<int, tx::shape<3>>;
#ifdef FIXED
auto half(counts const& x) { return tx::set(tx::cast<float>(x), 0.5f, 1); }
#else
auto half(counts const& x) { return tx::set(x, 0.5f, 1); }
#endif
