// expect: tx: tensor: the type must name a dtype; write tx::tensor<int> x{1, 2, 3}
// lines: 15
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<long> const x{{1L, 2L}, {3L, 4L}};
#else
tx::tensor const x{{1L, 2L}, {3L, 4L}};
#endif
auto run() { return tx::sum(x); }
