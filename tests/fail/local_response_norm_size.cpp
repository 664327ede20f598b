// expect: tx: local_response_norm: takes floating x (n, ..., c)
#include <tracexpr/image.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::local_response_norm<3>(x);
#else
    return tx::local_response_norm<0>(x);
#endif
}
