// expect: tx: tril: x must have at least two axes
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> v, [[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::tril(x);
#else
    return tx::tril(v);
#endif
}
