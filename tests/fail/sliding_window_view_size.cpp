// expect: tx: sliding_window_view: needs a size for each axis, from 1 to the extent of x there, and axes within its rank
#include <tracexpr/trace/functions.hpp>

auto f(tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::sliding_window_view<3>(x, tx::axis<1>);
#else
    return tx::sliding_window_view<3>(x, tx::axis<0>);
#endif
}
