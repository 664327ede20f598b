// expect: tx: vmap: all mapped arguments must have one extent along their axes
#include <tracexpr/tracexpr.hpp>

tx::tensor<double, tx::shape<2, 3>> const matrix{{1, 2, 3}, {4, 5, 6}};
tx::tensor<double, tx::shape<3>> const v{1, 2, 3};

#ifdef FIXED
auto run() { return tx::vmap<1, 0>([](auto row, auto s) { return row * s; })(matrix, v); }
#else
auto run() { return tx::vmap([](auto row, auto s) { return row * s; })(matrix, v); }
#endif
