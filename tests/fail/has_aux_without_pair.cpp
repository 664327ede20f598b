// expect: tx: grad with has_aux: the callable must return a pair: its value, and what is handed through
#include <tracexpr/tracexpr.hpp>

auto slope() {
    auto const total = [](auto const& x) { return sum(x * x); };
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
#ifdef FIXED
    return tx::grad([=](auto const& a) { return std::pair(total(a), a); }, tx::has_aux)(x).first;
#else
    return tx::grad(total, tx::has_aux)(x);
#endif
}
