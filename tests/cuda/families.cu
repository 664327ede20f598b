// Compiles the headers of the families under nvcc, in functions that run on a device and whose routines the host runs.
#include <tracexpr/arrays.hpp>
#include <tracexpr/conv.hpp>
#include <tracexpr/distributions.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/image.hpp>
#include <tracexpr/matrices.hpp>
#include <tracexpr/nn.hpp>
#include <tracexpr/special.hpp>
#include <tracexpr/statistics.hpp>
#include <tracexpr/thrust.hpp>

using picture = tx::tensor<float, tx::shape<1, 8, 8, 2>>;
using vec = tx::tensor<double, tx::shape<8>>;
using matrix = tx::tensor<double, tx::shape<3, 3>>;

auto pooled(picture const& x, tx::tensor<float, tx::shape<3, 3, 2, 4>> const& w) {
    tx::function const f{[](auto a, auto b) { return tx::max_pool<2, 2>(tx::nn::mish(tx::conv(a, b, tx::mode::same))); }};
    return f(x, w);
}
auto spectrum(vec const& x) { return tx::abs(tx::fft::rfft(x)); }
auto spread(vec const& x) { return tx::special::ndtr(tx::special::i0(x) - tx::percentile(x, 50.0)); }
auto roots(matrix const& a) { return tx::linalg::eigvals(tx::linalg::expm(a)); }
auto drawn() { return tx::random::stateless_laplace<float>(tx::random::key(1), tx::shape<4>{}); }
