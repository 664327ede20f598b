// expect: tx: while_loop: the condition and the body must take the parts of the state, as many as there are
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x) {
    auto const step = [](auto n, auto s) { return std::tuple(n + 1, s * 2); };
#ifdef FIXED
    return tx::while_loop([](auto n, auto) { return n < 3; }, step, x * 0, x);
#else
    return tx::while_loop([](auto n) { return n < 3; }, step, x * 0, x);
#endif
}};
auto run(tx::tensor<float, tx::shape<>> const& x) { return f(x); }
