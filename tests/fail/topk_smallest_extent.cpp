// expect: tx: topk: takes one axis within the rank of x, which must have K elements
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::topk<4>(x, tx::smallest); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::topk<5>(x, tx::smallest); }
#endif
