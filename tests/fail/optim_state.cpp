// expect: tx: optim: update: the state must be of these parameters
#include <tracexpr/tracexpr.hpp>

constexpr auto adam = tx::optim::adam();
auto f(tx::tensor<float, tx::shape<3>> const& w, [[maybe_unused]] tx::tensor<float, tx::shape<2>> const& b) {
#ifdef FIXED
    return adam.update(w, adam.init(w), w);
#else
    return adam.update(w, adam.init(b), w);
#endif
}
