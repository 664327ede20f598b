// expect: tx: slice: tx::at is out of bounds
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::slice(x, tx::at<-2>);
#else
    return tx::slice(x, tx::at<2>);
#endif
}
