// expect: tx: group_by: values must have a row for each key
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<4>> const& i, tx::tensor<float, tx::shape<4>> const& x) { return tx::group_by(i).sum(x); }
#else
auto run(tx::tensor<int, tx::shape<4>> const& i, tx::tensor<float, tx::shape<5>> const& x) { return tx::group_by(i).sum(x); }
#endif
