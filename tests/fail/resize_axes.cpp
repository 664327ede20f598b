// expect: tx: resize: x must be numbers (n, spatial..., c)
// errors: 4
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::resize<4, 4>(x);
#else
    return tx::resize<4>(x);
#endif
}
