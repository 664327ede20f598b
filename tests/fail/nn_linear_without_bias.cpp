// expect: tx: linear: takes x (..., in) and w (in, out); transpose a weight of PyTorch
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<4, 3>> w) {
#ifdef FIXED
    return tx::nn::linear(x, tx::transpose(w));
#else
    return tx::nn::linear(x, w);
#endif
}
