// expect: tx: tensor: the type must name a dtype; write tx::tensor<int> x{1, 2, 3}
// lines: 15
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<double> const x{{1.0, 2.0}, {3.0, 4.0}};
#else
tx::tensor const x{{1.0, 2.0}, {3.0, 4.0}};
#endif
auto run() { return tx::sum(x); }
