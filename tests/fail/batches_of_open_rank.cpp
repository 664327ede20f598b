// expect: tx: batches: takes tensors whose types tell their rank
#include <tracexpr/nn.hpp>

auto f(tx::tensor<float> const& x) {
#ifdef FIXED
    return tx::batches(tx::tensor<float, tx::shape<tx::dyn, 3>>(x), 32);
#else
    return tx::batches(x, 32);
#endif
}
