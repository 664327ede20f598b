// expect: tx: nn: quantize: the type must be int8, uint8, int16 or uint16
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(vec const& x) { return tx::nn::quantize<std::int8_t>(x, 0.5f, 3); }
#else
auto run(vec const& x) { return tx::nn::quantize(x, 0.5f, 3); }
#endif
