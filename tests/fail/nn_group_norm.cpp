// expect: tx: group_norm: takes x (n, ..., c) and vectors (c), where c is a multiple of the groups; of x (n, c, ...)
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 4>> x, [[maybe_unused]] tx::expr<float, tx::shape<4>> g) {
#ifdef FIXED
    return tx::nn::group_norm<2>(x, g, g);
#else
    return tx::nn::group_norm<3>(x, g, g);
#endif
}
