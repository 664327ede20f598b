// expect: tx: topk: takes numbers that have an order; use tx::abs(x) or tx::real(x) of complex ones
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<std::complex<float>, tx::shape<4>> const& x) { return tx::topk<1>(tx::abs(x), tx::smallest); }
#else
auto run(tx::tensor<std::complex<float>, tx::shape<4>> const& x) { return tx::topk<1>(x, tx::smallest); }
#endif
