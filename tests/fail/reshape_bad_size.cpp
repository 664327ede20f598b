// expect: tx: reshape: the size must stay the same
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::reshape(x, tx::shape<3, 2>{});
#else
    return tx::reshape(x, tx::shape<4, 2>{});
#endif
}
