// expect: tx: associative_scan: the callable takes two arguments, in the form of xs
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x) {
#ifdef FIXED
    return tx::associative_scan([](auto a, auto b) { return a * b; }, x);
#else
    return tx::associative_scan([](auto a) { return a; }, x);
#endif
}};
auto run(tx::tensor<float, tx::shape<4>> const& x) { return f(x); }
