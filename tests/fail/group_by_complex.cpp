// expect: tx: group_by: keys must be integers, real numbers, bool or strings
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& k) { return tx::group_by(k).count(); }
#else
auto run(tx::tensor<std::complex<float>, tx::shape<2>> const& k) { return tx::group_by(k); }
#endif
