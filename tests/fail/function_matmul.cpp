// expect: tx: matmul: the last extent of a must equal the last but one of b
#include <tracexpr/tracexpr.hpp>

tx::function const product{[](auto a, auto b) { return tx::matmul(a, b); }};
tx::tensor<float, tx::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
tx::tensor<float, tx::shape<3, 2>> const y{{1, 0}, {2, -1}, {0, 3}};
#ifdef FIXED
auto const result = product(x, y);
#else
auto const result = product(x, x);
#endif
