// expect: tx: isclose: takes numbers of shapes that broadcast
#include <tracexpr/tracexpr.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> x, [[maybe_unused]] tx::expr<float, tx::shape<2>> y) {
#ifdef FIXED
    return tx::isclose(x, 1);
#else
    return tx::isclose(x, y);
#endif
}
