// expect: tx: interp: xp and fp must be vectors of one extent
#include <tracexpr/transforms/interpolate.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> x, [[maybe_unused]] tx::expr<float, tx::shape<2>> y) {
#ifdef FIXED
    return tx::interp(x, x, x);
#else
    return tx::interp(x, x, y);
#endif
}
