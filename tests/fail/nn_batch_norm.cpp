// expect: tx: batch_norm: takes x (n, ..., c) and vectors (c); of x (n, c, ...) give tx::channels_first
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3, 4>> x, [[maybe_unused]] tx::expr<float, tx::shape<3>> g) {
#ifdef FIXED
    return tx::nn::batch_norm(x, g, g, g, g, tx::channels_first);
#else
    return tx::nn::batch_norm(x, g, g, g, g);
#endif
}
