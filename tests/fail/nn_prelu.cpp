// expect: tx: prelu: takes real x (..., c) and a slope or slopes (c); of x (n, c, ...) give tx::channels_first
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3, 4>> x, [[maybe_unused]] tx::expr<float, tx::shape<3>> s) {
#ifdef FIXED
    return tx::prelu(x, s, tx::channels_first);
#else
    return tx::prelu(x, s);
#endif
}
