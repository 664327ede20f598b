// expect: tx: attention: takes real q (..., heads, n, d), k (..., heads, m, d) and v (..., heads, m, c), where the he
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3, 4>> q, [[maybe_unused]] tx::expr<float, tx::shape<2, 4, 5>> k) {
#ifdef FIXED
    return tx::nn::attention(q, tx::matrix_transpose(k), tx::matrix_transpose(k));
#else
    return tx::nn::attention(q, k, k);
#endif
}
