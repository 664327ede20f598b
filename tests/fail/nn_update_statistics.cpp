// expect: tx: update_statistics: the averages must have the shapes of the batch's mean and variance
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> m, [[maybe_unused]] tx::expr<float, tx::shape<4>> g) {
#ifdef FIXED
    return tx::nn::update_statistics(m, m, m, m);
#else
    return tx::nn::update_statistics(m, m, g, g);
#endif
}
