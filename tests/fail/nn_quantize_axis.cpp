// expect: tx: nn: quantize, dequantize, fake_quantize: scale and zero point must be scalars
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(matrix const& x, vec const& s) { return tx::nn::quantize<std::int8_t>(x, s, 0, tx::axis<1>); }
#else
auto run(matrix const& x, vec const& s) { return tx::nn::quantize<std::int8_t>(x, s); }
#endif
