// expect: tx: map: the callable takes one argument, an element of xs; of several sequences, given as a tuple, a tuple
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x, auto y) {
#ifdef FIXED
    return tx::map([](auto both) { return std::get<0>(both) + std::get<1>(both); }, std::tuple(x, y));
#else
    return tx::map([](auto a, auto b) { return a + b; }, std::tuple(x, y));
#endif
}};
auto run(tx::tensor<float, tx::shape<4>> const& x) { return f(x, x); }
