// expect: tx: isin: x and the values must be of dtypes that meet in one
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<std::string, tx::shape<4>> const& s, tx::tensor<double, tx::shape<4>> const&) { return tx::isin(s, s); }
#else
auto run(tx::tensor<std::string, tx::shape<4>> const& s, tx::tensor<double, tx::shape<4>> const& x) { return tx::isin(x, s); }
#endif
