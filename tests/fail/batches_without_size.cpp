// expect: tx: batches: takes the data, a tensor or a tuple of them, and how many examples a batch has
#include <tracexpr/nn.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::batches(x, 32);
#else
    return tx::batches(x);
#endif
}
