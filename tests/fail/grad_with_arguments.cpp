// expect: tx: grad, value_and_grad, vmap: take the callable alone
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
constexpr auto total = [](auto const& x, auto const& y) { return tx::sum(x * y); };
#ifdef FIXED
auto run(vec const& x, vec const& y) { return tx::grad<1>(total)(x, y); }
#else
auto run(vec const& x, vec const& y) { return tx::grad(total, x, y); }
#endif
