// expect: tx: function: its template argument is the callable's type, and not a signature as for std::function
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const doubled{[](auto x) { return x * 2; }};
#else
tx::function<vec(vec)> const doubled = [](auto x) { return x * 2; };
#endif
auto run(vec const& x) { return doubled(x); }
