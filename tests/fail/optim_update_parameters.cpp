// expect: tx: optim: update: takes the gradients, the state and the parameters, in this order
#include <tracexpr/tracexpr.hpp>

constexpr auto descent = tx::optim::sgd(0.1);
using vec = tx::tensor<float, tx::shape<3>>;
auto run(vec const& w, vec const& gradient) {
#ifdef FIXED
    return descent.update(gradient, descent.init(w), w);
#else
    return descent.update(gradient, descent.init(w));
#endif
}
