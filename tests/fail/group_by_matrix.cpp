// expect: tx: group_by: the keys must be a vector, a key for each row of values
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<2>> const& k) { return tx::group_by(k).count(); }
#else
auto run(tx::tensor<int, tx::shape<2, 2>> const& k) { return tx::group_by(k); }
#endif
