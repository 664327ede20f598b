// expect: tx: static_function: the callable must be an aggregate that holds tensors
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
struct layer {
    vec weights;
    constexpr auto operator()(auto x) const { return x * weights; }
};
tx::static_function const f{layer{{1, 2, 3}}};
#else
class layer {
public:
    layer() : weights_{1, 2, 3} {}
    constexpr auto operator()(auto x) const { return x * weights_; }

private:
    vec weights_;
};
tx::static_function const f{layer()};
#endif
auto run(vec const& x) { return f(x); }
