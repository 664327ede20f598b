// expect: tx: cumsum: takes one axis within the rank of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::cumsum(x, tx::axis<-2>);
#else
    return tx::cumsum(x, tx::axis<-3>);
#endif
}
