// expect: tx: strings and numbers do not meet
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<std::string, tx::shape<2>> x, [[maybe_unused]] tx::expr<float, tx::shape<2>> y) {
#ifdef FIXED
    return x + x;
#else
    return x + y;
#endif
}
