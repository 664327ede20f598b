// expect: tx: bitwise ops take integers and bool
#include <tracexpr/tracexpr.hpp>

auto f([[maybe_unused]] double x) {
#ifdef FIXED
    return tx::bitwise_not(7);
#else
    return tx::bitwise_not(x);
#endif
}
