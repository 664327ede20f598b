// expect: tx: grid_sample: takes floating images (n, h, w, c) and a grid
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x, tx::expr<float, tx::shape<1, 4, 4, 2>> g) {
#ifdef FIXED
    return tx::grid_sample(x, g);
#else
    return tx::grid_sample(x, tx::cast<int>(g));
#endif
}
