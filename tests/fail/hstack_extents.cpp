// expect: tx: hstack, vstack, dstack, column_stack: the operands must have one rank, and the same extents on all axes but the one
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 2>> const& m, tx::tensor<float, tx::shape<2>> const& x) { return tx::column_stack(m, x); }
#else
auto run(tx::tensor<float, tx::shape<2, 2>> const& m, tx::tensor<float, tx::shape<4>> const& x) { return tx::hstack(m, x); }
#endif
