// expect: tx: roi_align: takes floating images (n, h, w, c), boxes (k, 4)
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x, tx::expr<float, tx::shape<2, 4>> b, tx::expr<int, tx::shape<2>> i) {
#ifdef FIXED
    return tx::roi_align<7, 7>(x, b, i, 1.0f);
#else
    return tx::roi_align<7, 7>(x, b, tx::cast<float>(i), 1.0f);
#endif
}
