// expect: tx: kron: takes two tensors of numbers with at most 4 axes
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<1, 1, 1, 1, 2>> x, [[maybe_unused]] tx::expr<float, tx::shape<3>> y) {
#ifdef FIXED
    return tx::kron(tx::squeeze(x), y);
#else
    return tx::kron(x, y);
#endif
}
