// expect: tx: conv: takes x and w, and behind them tx::stride<...>
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 3>> x, tx::expr<float, tx::shape<3, 3, 2>> w) {
#ifdef FIXED
    return tx::conv(x, w, tx::mode::same);
#else
    return tx::conv(x, w, "same");
#endif
}
