// expect: tx: squeeze: the axes must lie within the rank of x and have extent 1
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 1>> p) {
#ifdef FIXED
    return tx::squeeze(p, tx::axis<1>);
#else
    return tx::squeeze(x, tx::axis<0>);
#endif
}
