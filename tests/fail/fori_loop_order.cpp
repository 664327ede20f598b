// expect: tx: fori_loop: the first number, the one behind the last and the body come first, and behind them the state
// lines: 40
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x) {
    auto const twice = [](auto, auto y) { return y * 2; };
#ifdef FIXED
    return tx::fori_loop(0, 3, twice, x);
#else
    return tx::fori_loop(x, 0, 3, twice);
#endif
}};
auto run(tx::tensor<float, tx::shape<>> const& x) { return f(x); }
