// expect: tx: while_loop, fori_loop, scan: the body must return a state of the dtypes that it is given; start with tx::cast
// lines: 60
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x) {
#ifdef FIXED
    auto const start = x;
#else
    auto const start = tx::cast<int>(x);
#endif
    return tx::fori_loop(0, tx::cast<int>(tx::sum(x)), [](auto, auto s) { return s * 1.5; }, start) + 1;
}};
auto run(tx::tensor<double, tx::shape<3>> const& x) { return f(x); }
