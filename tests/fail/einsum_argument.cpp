// expect: tx: einsum: the subscripts are a template argument
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(matrix const& a, vec const& x) { return tx::einsum<"ij,j->i">(a, x); }
#else
auto run(matrix const& a, vec const& x) { return tx::einsum("ij,j->i", a, x); }
#endif
