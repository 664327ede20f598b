// expect: tx: lstm, gru, rnn: need x (..., in), or (t, ..., in) of sequences, a state of (..., h), and weights (in, g
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<5, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<2>> h,
       [[maybe_unused]] tx::expr<float, tx::shape<3, 8>> w, [[maybe_unused]] tx::expr<float, tx::shape<2, 8>> u,
       [[maybe_unused]] tx::expr<float, tx::shape<2, 6>> of_gru, [[maybe_unused]] tx::expr<float, tx::shape<8>> b) {
#ifdef FIXED
    return tx::nn::lstm(x, std::pair(h, h), std::tuple(w, u, b));
#else
    return tx::nn::lstm(x, std::pair(h, h), std::tuple(w, of_gru, b));
#endif
}
