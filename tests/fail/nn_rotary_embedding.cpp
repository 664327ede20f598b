// expect: tx: rotary_embedding: takes real x (..., n, d), where d is even, and positions (n)
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<int, tx::shape<2>> p,
       [[maybe_unused]] tx::expr<int, tx::shape<3>> c) {
#ifdef FIXED
    return tx::nn::rotary_embedding(tx::transpose(x), c);
#else
    return tx::nn::rotary_embedding(x, p);
#endif
}
