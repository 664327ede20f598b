// expect: tx: concat, stack: take the tensors one by one behind the axis
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x, vec const& y) { return tx::concat(tx::axis<0>, x, y); }
#else
auto run(vec const& x, vec const& y) { return tx::concat({x, y}); }
#endif
