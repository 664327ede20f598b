// expect: tx: linear: takes x (..., in), w (in, out) and b (out); transpose a weight of PyTorch
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> w,
       [[maybe_unused]] tx::expr<float, tx::shape<3>> c, [[maybe_unused]] tx::expr<float, tx::shape<4>> b) {
#ifdef FIXED
    return tx::nn::linear(x, w, b);
#else
    return tx::nn::linear(x, w, c);
#endif
}
