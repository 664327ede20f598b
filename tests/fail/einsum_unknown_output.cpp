// expect: tx: einsum: each letter after '->' must occur before it
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::einsum<"ij,jk->ik">(x, y);
#else
    return tx::einsum<"ij,jk->im">(x, y);
#endif
}
