// expect: tx: instance_norm: takes x (n, places..., c) and vectors (c); of x (n, c, places...) give tx::channels_firs
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3, 4>> x, [[maybe_unused]] tx::expr<float, tx::shape<3>> g) {
#ifdef FIXED
    return tx::nn::instance_norm(x, g, g, tx::channels_first);
#else
    return tx::nn::instance_norm(x, g, g);
#endif
}
