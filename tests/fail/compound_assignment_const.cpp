// expect: tx: +=, -= and their kin change their left side, which is const here
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const next{[](auto x) { x += 1; return x; }};
#else
tx::function const next{[](auto const& x) { x += 1; return x; }};
#endif
auto run(vec const& x) { return next(x); }
