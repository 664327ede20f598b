// expect: tx: an expr has no value while it is traced
// shows: repeat with tx::while_loop(condition, step, x)
// lines: 40
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const halved{
    [](auto x) { return tx::while_loop([](auto y) { return tx::sum(y) > 1; }, [](auto y) { return y / 2; }, x); }};
#else
tx::function const halved{[](auto x) {
    while (tx::sum(x) > 1) x = x / 2;
    return x;
}};
#endif
void run(vec const& x) { std::cout << halved(x) << '\n'; }
