// expect: tx: optim: update: the gradients must have the form and the shapes of the parameters
#include <tracexpr/tracexpr.hpp>

constexpr auto descent = tx::optim::sgd();
auto f(tx::tensor<float, tx::shape<3>> const& w, tx::tensor<float, tx::shape<2>> const& b) {
    auto const params = std::tuple(w, b);
    auto const state = descent.init(params);
#ifdef FIXED
    return descent.update(std::tuple(w, b), state, params);
#else
    return descent.update(std::tuple(b, w), state, params);
#endif
}
