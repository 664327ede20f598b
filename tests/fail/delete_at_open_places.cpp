// expect: tx: delete_at: places must be an integer vector of known extent, no longer than the axis, which must lie within the
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<2>> const& i) { return tx::delete_at(x, i); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<5>> const& i) { return tx::delete_at(x, i); }
#endif
