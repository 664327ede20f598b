// expect: tx: expand_dims: axes must differ and lie within the new rank
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::expand_dims(x, tx::axis<2>);
#else
    return tx::expand_dims(x, tx::axis<3>);
#endif
}
