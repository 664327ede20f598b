// expect: tx: resize: x must be numbers (n, spatial..., c)
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::resize<4, 4>(x);
#else
    return tx::resize<4>(x);
#endif
}
