// expect: tx: center_crop: needs one to three extents of at least 1 in <>, no larger than those of x
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::center_crop<4, 4>(x);
#else
    return tx::center_crop<4, 9>(x);
#endif
}
