// expect: tx: grad, vjp, jvp: the callable must return what is to be differentiated
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x) { return tx::grad([](auto y) { return tx::sum(y * y); })(x); }
#else
auto run(vec const& x) { return tx::grad([](auto y) { static_cast<void>(tx::sum(y * y)); })(x); }
#endif
