// expect: an aggregate holds no other library's arrays
#include <tracexpr/xtensor.hpp>

struct layer {
#ifdef FIXED
    tx::tensor<float> weights;
#else
    xt::xarray<float> weights;
#endif
};
auto f(layer const& l) {
    return tx::function{[](auto const& given) { return tx::sum(given.weights); }}(l);
}
