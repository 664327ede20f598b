// expect: tx: check_finite: takes numbers
#include <tracexpr/tracexpr.hpp>

void call() {
#ifdef FIXED
    tx::check_finite(1.5, "x");
#else
    tx::check_finite("text", "x");
#endif
}
