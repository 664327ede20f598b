// expect: tx: custom_jvp: the rule must return a pair: the value, and its change
#include <tracexpr/tracexpr.hpp>

auto slope() {
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
    auto const total = [](auto const& a) { return sum(a); };
#ifdef FIXED
    auto const rule = [](auto const& a, auto const& change) { return std::pair(sum(a), sum(change)); };
#else
    auto const rule = [](auto const&, auto const& change) { return sum(change); };
#endif
    return tx::grad(tx::custom_jvp(total, rule))(x);
}
