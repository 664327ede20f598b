// expect: tx: fori_loop: the body must take the number of the iteration, then the parts of the state
#include <tracexpr/tracexpr.hpp>

auto run(tx::tensor<float, tx::shape<2>> const& x) {
#ifdef FIXED
    return tx::fori_loop(0, 3, [](auto, auto s) { return s * 2; }, x);
#else
    return tx::fori_loop(0, 3, [](auto s) { return s * 2; }, x);
#endif
}
