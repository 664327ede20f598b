// expect: tx: glu: needs real numbers and an axis within the rank of x, which has an even extent
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<4, 3>> x) {
#ifdef FIXED
    return tx::glu(x, tx::axis<0>);
#else
    return tx::glu(x);
#endif
}
