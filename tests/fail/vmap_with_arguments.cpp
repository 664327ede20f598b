// expect: tx: grad, value_and_grad, vmap: take the callable alone
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<3, 2>>;
constexpr auto row_total = [](auto const& row) { return tx::sum(row); };
#ifdef FIXED
auto run(matrix const& x) { return tx::vmap(row_total)(x); }
#else
auto run(matrix const& x) { return tx::vmap(row_total, x); }
#endif
