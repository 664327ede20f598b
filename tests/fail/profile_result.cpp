// expect: tx: profile: takes the function, and then its arguments
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>

tx::function const twice{[](auto x) { return x * 2; }};
#ifdef FIXED
auto report(tx::tensor<float, tx::shape<3>> const& x) { return tx::profile(twice, x); }
#else
auto report(tx::tensor<float, tx::shape<3>> const& x) { return tx::profile(twice(x)); }
#endif
