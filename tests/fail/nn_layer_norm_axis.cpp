// expect: tx: layer_norm: takes x, and gamma and beta, whose axes are those that it is over, or none
#include <tracexpr/nn.hpp>

auto f(tx::expr<float, tx::shape<8, 3>> x) {
#ifdef FIXED
    return tx::nn::layer_norm(x);
#else
    return tx::nn::layer_norm(x, tx::axis<-1>);
#endif
}
