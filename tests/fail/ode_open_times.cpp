// expect: tx: ode: the times must be a vector, whose type tells its rank
#include <tracexpr/matrices.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::ode([](auto const& y, auto const&) { return -y; }, x, x);
#else
    return tx::ode([](auto const& y, auto const&) { return -y; }, x, tx::tensor<double>(x));
#endif
}
