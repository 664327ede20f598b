// expect: tx: function::bind: binds tensors, variables and trees of them; make another library's array a tensor first
#include <tracexpr/xtensor.hpp>

auto f(tx::tensor<float, tx::shape<3>> const& x, xt::xtensor<float, 1> const& given) {
#ifdef FIXED
    auto const weights = tx::from_xtensor(given);
#else
    auto const& weights = given;
#endif
    return tx::function{[](auto a, auto w) { return a * w; }}.bind(weights)(x);
}
