// expect: tx: affine_grid: needs two or three extents of at least 1
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 2, 3>> x) {
#ifdef FIXED
    return tx::affine_grid<4, 4>(x);
#else
    return tx::affine_grid<4, 4, 4>(x);
#endif
}
