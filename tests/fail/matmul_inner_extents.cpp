// expect: tx: matmul: the last extent of a must equal the last but one of b
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::matmul(x, y);
#else
    return tx::matmul(x, x);
#endif
}
