// expect: tx: switch_case: the cases are given in one std::tuple
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto k, auto x) {
    auto const twice = [](auto v) { return v * 2; };
    auto const same = [](auto v) { return v; };
#ifdef FIXED
    return tx::switch_case(k, std::tuple(twice, same), x);
#else
    return tx::switch_case(k, twice, same, x);
#endif
}};
auto run(tx::tensor<int, tx::shape<>> const& k, tx::tensor<float, tx::shape<4>> const& x) { return f(k, x); }
