// expect: tx: lstm: the state is two tensors, h and c: std::pair(h, c)
#include <tracexpr/nn.hpp>

auto f(tx::tensor<float, tx::shape<5, 3>> const& x, tx::tensor<float, tx::shape<4>> const& h,
       tx::tensor<float, tx::shape<3, 16>> const& w, tx::tensor<float, tx::shape<4, 16>> const& u, tx::tensor<float, tx::shape<16>> const& b) {
#ifdef FIXED
    return tx::nn::lstm(x, std::pair(h, h), std::tuple(w, u, b));
#else
    return tx::nn::lstm(x, h, std::tuple(w, u, b));
#endif
}
