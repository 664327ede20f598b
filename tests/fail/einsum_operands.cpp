// expect: tx: einsum: needs one list of subscripts for each operand
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::einsum<"ij,jk->i">(x, y);
#else
    return tx::einsum<"ij->i">(x, y);
#endif
}
