// expect: tx: while_loop, fori_loop, scan: the body must return a state of the dtypes that it is given; start with tx::cast
// lines: 60
#include <tracexpr/tracexpr.hpp>

// What follows the loop adds no message, and so does a limit on the iterations.
tx::function const f{[](auto x) {
#ifdef FIXED
    auto const start = x;
#else
    auto const start = tx::cast<int>(x);
#endif
    auto const out = tx::while_loop(
        tx::max_iterations(10), [](auto s) { return tx::all(s < 10); }, [](auto s) { return s * 1.5; }, start);
    return tx::sum(out) * x;
}};
auto run(tx::tensor<double, tx::shape<3>> const& x) { return f(x); }
