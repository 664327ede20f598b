// expect: tx: while_loop: the condition must give a bool scalar
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x) {
#ifdef FIXED
    return tx::while_loop([](auto s) { return 10 - s > 0; }, [](auto s) { return s + 3; }, x);
#else
    return tx::while_loop([](auto s) { return 10 - s; }, [](auto s) { return s + 3; }, x);
#endif
}};
auto run(tx::tensor<float, tx::shape<>> const& x) { return f(x); }
