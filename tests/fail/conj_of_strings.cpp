// expect: tx: real, imag and conj take numbers
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<std::string, tx::shape<3>> s, [[maybe_unused]] tx::expr<float, tx::shape<3>> x) {
#ifdef FIXED
    return tx::conj(x);
#else
    return tx::conj(s);
#endif
}
