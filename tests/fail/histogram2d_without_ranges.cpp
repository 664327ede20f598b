// expect: tx: histogram2d: takes x, y, the ends of both ranges, and weights
#include <tracexpr/statistics.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::histogram2d<2, 2>(x, x, 0, 1, 0, 1);
#else
    return tx::histogram2d<2, 2>(x, x);
#endif
}
