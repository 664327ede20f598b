// expect: tx: linalg::gmres: b must be a vector; flatten it with tx::reshape<-1>
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::linalg::gmres([](auto const& v) { return v * 2; }, tx::reshape<-1>(x)); }
#else
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::linalg::gmres([](auto const& v) { return v * 2; }, x); }
#endif
