// expect: tx: function::into: the first argument must have the result's type
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;
tx::function const row_totals{[](auto x) { return tx::sum(x); }};

#ifdef FIXED
void run(tx::tensor<float, tx::shape<>>& out) { row_totals.into(out, vec{1, 2}); }
#else
void run(vec& out) { row_totals.into(out, vec{1, 2}); }
#endif
