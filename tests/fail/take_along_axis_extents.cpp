// expect: tx: take_along_axis: indices must have the rank of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y, [[maybe_unused]] tx::expr<std::int64_t, tx::shape<2, 3>> i) {
#ifdef FIXED
    return tx::take_along_axis(x, i);
#else
    return tx::take_along_axis(y, i);
#endif
}
