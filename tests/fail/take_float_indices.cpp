// expect: tx: take: indices must be integers
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3>> v, [[maybe_unused]] tx::expr<std::int64_t, tx::shape<2, 3>> i) {
#ifdef FIXED
    return tx::take(x, i, tx::axis<0>);
#else
    return tx::take(x, v, tx::axis<0>);
#endif
}
