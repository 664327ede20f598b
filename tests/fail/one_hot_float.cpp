// expect: tx: one_hot: indices must be integers
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> v, [[maybe_unused]] tx::expr<std::int64_t, tx::shape<2, 3>> i) {
#ifdef FIXED
    return tx::one_hot(i, tx::depth<3>);
#else
    return tx::one_hot(v, tx::depth<3>);
#endif
}
