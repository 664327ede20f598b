// expect: tx: layer_norm: gamma and beta must have the extents of the last axes of x, which are real numbers
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<2>> g,
       [[maybe_unused]] tx::expr<float, tx::shape<3>> h) {
#ifdef FIXED
    return tx::nn::layer_norm(tx::slice(x, tx::at<0>), h, h);
#else
    return tx::nn::layer_norm(x, g, g);
#endif
}
