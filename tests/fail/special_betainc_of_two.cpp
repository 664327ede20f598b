// expect: tx: special::betainc: takes a, b and x
#include <tracexpr/special.hpp>

auto f(tx::expr<float, tx::shape<8>> x) {
#ifdef FIXED
    return tx::special::betainc(x, 2.0, 0.5);
#else
    return tx::special::betainc(x, 2.0);
#endif
}
