// expect: tx: unstack: the extent of the axis must be known to the compiler
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<tx::dyn, 3>> d) {
#ifdef FIXED
    return tx::unstack<1>(d);
#else
    return tx::unstack(d);
#endif
}
