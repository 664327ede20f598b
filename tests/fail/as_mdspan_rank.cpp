// expect: tx: as_mdspan: the span must have as many axes as the tensor; reshape it first
#include <tracexpr/tracexpr.hpp>

#include "../run/small_mdspan.hpp"

#ifdef FIXED
using span = spans::mdspan<float const, spans::extents<int, 2, 3>>;
#else
using span = spans::mdspan<float const, spans::extents<int, 6>>;
#endif
auto run(tx::tensor<float, tx::shape<2, 3>> const& t) { return tx::as_mdspan<span>(t); }
