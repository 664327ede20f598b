// expect: tx: an expr has no elements while it is traced
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const first{[](auto x) { return tx::slice(x, tx::at<0>) * 2; }};
#else
tx::function const first{[](auto x) { return x(0) * 2; }};
#endif
auto run(vec const& x) { return first(x); }
