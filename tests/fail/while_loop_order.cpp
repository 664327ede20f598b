// expect: tx: while_loop: the condition and the body come first, and behind them the state
// lines: 40
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x) {
    auto const small = [](auto y) { return y < 10; };
    auto const twice = [](auto y) { return y * 2; };
#ifdef FIXED
    return tx::while_loop(small, twice, x);
#else
    return tx::while_loop(x, small, twice);
#endif
}};
auto run(tx::tensor<float, tx::shape<>> const& x) { return f(x); }
