// expect: tx: einsum: subscripts are letters
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::einsum<"ij,jk">(x, y);
#else
    return tx::einsum<"ij;jk">(x, y);
#endif
}
