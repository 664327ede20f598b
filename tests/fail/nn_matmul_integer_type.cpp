// expect: tx: nn: matmul_integer: takes matrices of int8 or uint8
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(matrix const& x) {
    auto const q = tx::nn::quantize<std::int8_t>(x, 0.5f);
    return tx::nn::matmul_integer(q, tx::transpose(q));
}
#else
auto run(matrix const& x) { return tx::nn::matmul_integer(x, tx::transpose(x)); }
#endif
