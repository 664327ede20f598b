// expect: tx: optim: update: the state must be of these parameters
#include <tracexpr/tracexpr.hpp>

#include <tuple>

using number = tx::tensor<float, tx::shape<>>;
struct layer {
    float scale; // a value, and no leaf
    number w;
};
constexpr auto adam = tx::optim::adam();
auto f(layer const& x, [[maybe_unused]] std::tuple<float, number> const& other) {
#ifdef FIXED
    return adam.update(x, adam.init(x), x);
#else
    return adam.update(x, adam.init(other), x);
#endif
}
