// expect: tx: optim: clip_by_global_norm: the norm must be a scalar
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto f(vec const& g, tx::tensor<float, tx::shape<>> const& norm) { return tx::optim::clip_by_global_norm(g, norm); }
#else
auto f(vec const& g, vec const& norm) { return tx::optim::clip_by_global_norm(g, norm); }
#endif
