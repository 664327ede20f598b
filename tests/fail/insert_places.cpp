// expect: tx: insert: the axis must lie within the rank of x, the places within the axis, or right behind it, and the values must
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::insert<4>(x, 1.0f, tx::axis<0>); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::insert<5>(x, 1.0f, tx::axis<0>); }
#endif
