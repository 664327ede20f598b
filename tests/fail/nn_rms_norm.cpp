// expect: tx: rms_norm: gamma must have the extents of the last axes of x, which are real numbers
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<2>> g) {
#ifdef FIXED
    return tx::nn::rms_norm(tx::transpose(x), g);
#else
    return tx::nn::rms_norm(x, g);
#endif
}
