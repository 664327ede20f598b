// expect: tx: searchsorted: the sorted numbers must be a vector
#include <tracexpr/transforms/interpolate.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3, 2>> x) {
#ifdef FIXED
    return tx::searchsorted(tx::flatten(x), 1);
#else
    return tx::searchsorted(x, 1);
#endif
}
