// expect: tx: slice: too many indices
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::slice(x, tx::at<0>, tx::at<0>);
#else
    return tx::slice(x, tx::at<0>, tx::at<0>, tx::at<0>);
#endif
}
