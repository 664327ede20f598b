// expect: tx: extent: the axis must lie within the rank
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
constexpr int axis = 1;
#else
constexpr int axis = 2;
#endif

auto run(tx::tensor<float, tx::shape<tx::dyn, 3>> const& x) {
    return tx::function{[](auto v) { return v / tx::extent<axis>(v); }}(x);
}
