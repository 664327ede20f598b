// expect: tx: nanargmax: takes real numbers and one axis within the rank of x, or none
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3, 2>> x) {
#ifdef FIXED
    return tx::nanargmax(x, tx::axis<1>);
#else
    return tx::nanargmax(x, tx::axis<0, 1>);
#endif
}
