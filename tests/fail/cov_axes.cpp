// expect: tx: cov: takes numbers, one axis (observations) or two (variables, observations)
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<1, 2, 2>> x) {
#ifdef FIXED
    return tx::cov(tx::squeeze(x));
#else
    return tx::cov(x);
#endif
}
