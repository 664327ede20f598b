// expect: tx: a reduction takes its axes once
// errors: 8
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::mean(x, tx::axis<0, 1>);
#else
    return tx::mean(x, tx::axis<0>, tx::axis<1>);
#endif
}
