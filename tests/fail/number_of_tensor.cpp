// expect: deleted function
// lines: 15
// shows: the number in a tensor of one element: write x.item()
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
float run(vec const& x) { return tx::sum(x).item(); }
#else
float run(vec const& x) { return static_cast<float>(tx::sum(x)); }
#endif
