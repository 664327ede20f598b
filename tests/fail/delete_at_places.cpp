// expect: tx: delete_at: the axis must lie within the rank of x, and the places within the axis
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::delete_at<3>(x, tx::axis<0>); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::delete_at<4>(x, tx::axis<0>); }
#endif
