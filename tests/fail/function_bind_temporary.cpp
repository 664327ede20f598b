// expect: tx: function::bind: binds by reference, and these are temporaries
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;
tx::function const weighted{[](auto x, auto w) { return x * w; }};

#ifdef FIXED
vec const weights{1, 2};
auto run() { return weighted.bind(weights)(weights); }
#else
auto run() { return weighted.bind(vec{1, 2})(vec{1, 2}); }
#endif
