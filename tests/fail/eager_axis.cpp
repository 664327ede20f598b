// expect: tx: sum: axes must differ and lie within the rank of x
#include <tracexpr/tracexpr.hpp>

tx::tensor<float, tx::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
#ifdef FIXED
auto const y = tx::sum(x, tx::axis<1>);
#else
auto const y = tx::sum(x, tx::axis<2>);
#endif
