// expect: a std::vector's size is x.extent(0), not tx::extent<0>(x) | may change value
// errors: 2
// shows: a std::vector's size is x.extent(0), not tx::extent<0>(x)
#include <tracexpr/tracexpr.hpp>

#include <vector>

using vec = tx::tensor<float, tx::shape<tx::dyn>>;
tx::function const shifted{[](auto x) {
#ifdef FIXED
    std::vector<float> const more(static_cast<std::size_t>(x.extent(0)));
#else
    std::vector<float> const more(tx::extent<0>(x));
#endif
    return x + more[0];
}};
auto run(vec const& x) { return shifted(x); }
