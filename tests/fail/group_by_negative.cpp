// expect: tx: group_by: the number of groups must not be negative
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::group_by<1>(i).count(); }
#else
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::group_by<-1>(i).count(); }
#endif
