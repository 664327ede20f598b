// expect: tx: polyadd, polysub, polymul, polyder, polyint: take vectors of coefficients
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<2, 2>> const& m, tx::tensor<double, tx::shape<4>> const& x) { return tx::polyadd(x, m[0]); }
#else
auto run(tx::tensor<double, tx::shape<2, 2>> const& m, tx::tensor<double, tx::shape<4>> const& x) { return tx::polyadd(x, m); }
#endif
