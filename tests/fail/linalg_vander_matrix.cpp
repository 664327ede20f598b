// expect: tx: linalg::vander: takes a vector of numbers; use tx::vmap for several
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::vmap([](auto c) { return tx::linalg::vander(c); })(x); }
#else
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::vander(x); }
#endif
