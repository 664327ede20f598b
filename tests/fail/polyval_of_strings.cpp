// expect: tx: polyval: takes numbers, not strings
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<std::string, tx::shape<4>> const&, tx::tensor<double, tx::shape<4>> const& x) { return tx::polyval(x, x); }
#else
auto run(tx::tensor<std::string, tx::shape<4>> const& s, tx::tensor<double, tx::shape<4>> const& x) { return tx::polyval(x, s); }
#endif
