// expect: tx: ode: f is called as f(y, t, args...), with the arguments behind the times
#include <tracexpr/matrices.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::ode([](auto const& y, auto const&) { return -y; }, x, x);
#else
    return tx::ode([](auto const& y) { return -y; }, x, x);
#endif
}
