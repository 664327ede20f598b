// expect: tx: slice, set, add_at and their kin: the type of a tensor of places must tell its rank
// lines: 30
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<5>>;
#ifdef FIXED
using places = tx::tensor<std::int64_t, tx::shape<tx::dyn>>;
#else
using places = tx::tensor<std::int64_t>;
#endif
auto run(vec const& x, places const& i) { return tx::set(x, 1.0F, i); }
