// expect: tx: average: takes x, weights if there are some, and behind them axes
#include <tracexpr/statistics.hpp>

auto f(tx::expr<float, tx::shape<8>> x) {
#ifdef FIXED
    return tx::average(x, x, tx::axis<0>);
#else
    return tx::average(x, tx::axis<0>, x);
#endif
}
