// expect: tx: nn: ctc_loss: takes logits (batch, time, classes), integer labels (batch, longest)
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 4, 3>> const& x, tx::tensor<int, tx::shape<2, 2>> const& y, labels const& n) {
    return tx::nn::ctc_loss(x, y, n, n);
}
#else
auto run(matrix const& x, labels const& n) { return tx::nn::ctc_loss(x, n, n, n); }
#endif
