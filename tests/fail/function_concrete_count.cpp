// expect: tx: function::concrete, graph_of, spec_of: the callable must take one argument for each spec
#include <tracexpr/tracexpr.hpp>

using row = tx::spec<float, tx::shape<2>>;
tx::function const summed{[](auto x, auto y) { return x + y; }};

#ifdef FIXED
auto run() { return summed.concrete<row, row>(); }
#else
auto run() { return summed.concrete<row>(); }
#endif
