// expect: tx: map: every sequence must have that axis, of one extent; negative ones count from the end
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) {
    return tx::map([](auto v) { return v * 2; }, x, tx::axis<0>);
}
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) {
    return tx::map([](auto v) { return v * 2; }, x, tx::axis<1>);
}
#endif
