// expect: tx: function: takes a callable of one type
// shows: of a function template or overloaded function g write [](auto x) { return g(x); }
// errors: 2
// lines: 40
#include <tracexpr/tracexpr.hpp>

template <class X> auto twice(X x) { return x * 2; }
#ifdef FIXED
tx::function const f{[](auto x) { return twice(x); }};
#else
tx::function const f{twice};
#endif
auto run(tx::tensor<float, tx::shape<3>> const& x) { return f(x); }
