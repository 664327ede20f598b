// expect: tx: sliding_window_view: sizes stand in <>
#include <tracexpr/tracexpr.hpp>

auto call() {
    tx::tensor<float, tx::shape<5>> const x{1, 2, 3, 4, 5};
#ifdef FIXED
    return tx::sliding_window_view<2>(x);
#else
    return tx::sliding_window_view(x, 2);
#endif
}
