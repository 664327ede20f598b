// expect: tx: reshape: the size must stay the same
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::reshape<3, -1>(x);
#else
    return tx::reshape<4, -1>(x);
#endif
}
