// expect: tx: softmax: axes must differ and lie within the rank of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::softmax(x);
#else
    return tx::softmax(x, tx::axis<2>);
#endif
}
