// expect: use of deleted function | invokes a deleted function
// lines: 15
// shows: x may have other extents: write the type, as in tx::tensor<float, tx::shape<2, 3>> y(x)
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
void run(tx::tensor<float> const& a) { [[maybe_unused]] matrix const b(a); }
#else
void run(tx::tensor<float> const& a) { [[maybe_unused]] matrix const b = a; }
#endif
