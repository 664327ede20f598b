// expect: tx: linalg: an iterative solver takes a floating b; cast it first
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<2>> const& x) { return tx::linalg::conjugate_gradient([](auto const& v) { return v * 2; }, tx::cast<float>(x)); }
#else
auto run(tx::tensor<int, tx::shape<2>> const& x) { return tx::linalg::conjugate_gradient([](auto const& v) { return v * 2; }, x); }
#endif
