// expect: tx: jacfwd, jacrev, hessian: a result's axes and an argument's must be at most 8 together
#include <tracexpr/tracexpr.hpp>

tx::tensor<double, tx::shape<1, 1, 1, 1, 1>> const v{{{{{2}}}}};

#ifdef FIXED
auto run() { return tx::jacrev([](auto a) { return tx::sum(a * a); })(v); }
#else
auto run() { return tx::jacrev([](auto a) { return a * a; })(v); }
#endif
