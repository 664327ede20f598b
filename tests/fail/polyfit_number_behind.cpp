// expect: tx: polyfit: takes points x and y, and weights, with the degree in <>: tx::polyfit<1>(x, y)
#include <tracexpr/statistics.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::polyfit<1>(x, x);
#else
    return tx::polyfit(x, x, 1);
#endif
}
