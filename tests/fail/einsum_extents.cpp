// expect: tx: einsum: a letter must mean the same extent wherever it stands
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::einsum<"ij,jk->ik">(x, y);
#else
    return tx::einsum<"ij,kj->ik">(x, y);
#endif
}
