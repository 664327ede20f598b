// expect: tx: optim: update: takes the gradients, the state and the parameters, in this order
#include <tracexpr/tracexpr.hpp>

constexpr auto adam = tx::optim::adam();
using vec = tx::tensor<float, tx::shape<3>>;
auto run(vec const& w, vec const& gradient) {
#ifdef FIXED
    return adam.update(gradient, adam.init(w), w);
#else
    return adam.update(adam.init(w), gradient, w);
#endif
}
