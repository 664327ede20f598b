// expect: tx: percentile, nanmedian, nanquantile, nanpercentile: take real numbers
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<std::complex<double>, tx::shape<4>> const& x) { return tx::percentile(tx::abs(x), 50); }
#else
auto run(tx::tensor<std::complex<double>, tx::shape<4>> const& x) { return tx::percentile(x, 50); }
#endif
