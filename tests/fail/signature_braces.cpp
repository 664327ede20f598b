// expect: tx: tensor: the braces must be as long as the type's extents say
#include <tracexpr/tracexpr.hpp>

tx::function const total{[](auto x) { return tx::sum(x); }, tx::signature<tx::spec<float, tx::shape<tx::dyn, 2>>>{}};
#ifdef FIXED
auto run() { return total({{1, 2}, {3, 4}}); }
#else
auto run() { return total({{1, 2, 3}}); }
#endif
