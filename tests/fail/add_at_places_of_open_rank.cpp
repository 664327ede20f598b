// expect: tx: slice, set, add_at and their kin: the type of a tensor of places must tell its rank
// lines: 30
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<5>>;
#ifdef FIXED
auto run(vec const& x, tx::tensor<std::int64_t> const& i) {
    return tx::add_at(x, 1.0F, tx::tensor<std::int64_t, tx::shape<tx::dyn>>(i));
}
#else
auto run(vec const& x, tx::tensor<std::int64_t> const& i) { return tx::add_at(x, 1.0F, i); }
#endif
