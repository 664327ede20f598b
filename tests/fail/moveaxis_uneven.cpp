// expect: tx: moveaxis: needs as many destinations as sources
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::moveaxis(x, tx::axis<0>, tx::axis<1>);
#else
    return tx::moveaxis(x, tx::axis<0, 1>, tx::axis<0>);
#endif
}
