// expect: tx: these shapes do not broadcast
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y, [[maybe_unused]] tx::expr<float, tx::shape<3>> v) {
#ifdef FIXED
    return x + v;
#else
    return x + y;
#endif
}
