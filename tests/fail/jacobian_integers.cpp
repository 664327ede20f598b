// expect: tx: jacfwd, jacrev, hessian: arguments must be real and of floating dtype
#include <tracexpr/tracexpr.hpp>

tx::tensor<int, tx::shape<3>> const v{1, 2, 3};

#ifdef FIXED
auto run() { return tx::jacfwd([](auto a) { return a * 0.5; })(tx::cast<double>(v)); }
#else
auto run() { return tx::jacfwd([](auto a) { return a * 0.5; })(v); }
#endif
