// expect: tx: function: a struct that the callable returns must hold tensors, or be a template of types only
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
template <class Y> struct result { Y y; };
#else
template <tx::expr_type Y> struct result { Y y; };
#endif
tx::function const doubled{[](auto x) { return result<decltype(x * 2)>{x * 2}; }};
auto run(vec const& x) { return doubled(x); }
