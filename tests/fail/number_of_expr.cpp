// expect: tx: an expr has no number while it is traced
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const shifted{[](auto x) { return x + tx::sum(x); }};
#else
tx::function const shifted{[](auto x) { double const total = tx::sum(x); return x + total; }};
#endif
auto run(vec const& x) { return shifted(x); }
