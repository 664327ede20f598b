// expect: tx: dropout_channels: x must be real, with an axis of examples and one of channels
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> x) {
#ifdef FIXED
    return tx::nn::dropout_channels(tx::random::key(1), tx::expand_dims<0>(x), 0.5);
#else
    return tx::nn::dropout_channels(tx::random::key(1), x, 0.5);
#endif
}
