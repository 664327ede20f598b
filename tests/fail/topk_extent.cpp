// expect: tx: topk: takes one axis within the rank of x, which must have K elements
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::topk<3>(x).second; }
#else
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::topk<4>(x); }
#endif
