// expect: tx: resize: needs one to three spatial extents of at least 1
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::resize<4, 4>(x);
#else
    return tx::resize<4, 0>(x);
#endif
}
