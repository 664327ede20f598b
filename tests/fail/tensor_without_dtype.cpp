// expect: tx: tensor: the type must name a dtype; write tx::tensor<int> x{1, 2, 3}
// lines: 15
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<int> const x{1, 2, 3};
tx::tensor const copied = x;
#else
tx::tensor const x{1, 2, 3};
#endif
auto run() { return x(1) + 1; }
