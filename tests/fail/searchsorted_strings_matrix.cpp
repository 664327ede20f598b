// expect: tx: searchsorted: the sorted strings must be a vector whose type tells its rank
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<std::string, tx::shape<4>> const& x) { return tx::searchsorted(x, x); }
#else
auto run(tx::tensor<std::string, tx::shape<2, 2>> const& x) { return tx::searchsorted(x, x); }
#endif
