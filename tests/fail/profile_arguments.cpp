// expect: tx: profile: the function must be given as many arguments as its signature has
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>

using vec = tx::spec<float, tx::shape<2>>;
tx::function const f{[](auto x, auto y) { return x + y; }, tx::signature<vec, vec>{}};
tx::tensor<float, tx::shape<2>> const x{1, 2};

#ifdef FIXED
double seconds() { return tx::profile(f, x, x).seconds; }
#else
double seconds() { return tx::profile(f, x).seconds; }
#endif
