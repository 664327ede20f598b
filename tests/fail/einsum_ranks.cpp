// expect: tx: einsum: each operand needs one letter for each of its axes
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::einsum<"ij,jk->i">(x, y);
#else
    return tx::einsum<"ijk,jk->i">(x, y);
#endif
}
