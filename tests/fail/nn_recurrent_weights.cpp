// expect: tx: lstm, gru, rnn: the weights are three tensors, of gru four
#include <tracexpr/nn.hpp>

auto f(tx::tensor<float, tx::shape<5, 3>> const& x, tx::tensor<float, tx::shape<4>> const& h,
       tx::tensor<float, tx::shape<3, 4>> const& w, tx::tensor<float, tx::shape<4, 4>> const& u, [[maybe_unused]] tx::tensor<float, tx::shape<4>> const& b) {
#ifdef FIXED
    return tx::nn::rnn(x, h, std::tuple(w, u, b));
#else
    return tx::nn::rnn(x, h, std::tuple(w, u));
#endif
}
