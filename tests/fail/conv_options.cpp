// expect: takes tx::stride, tx::dilation and tx::widths with one number
#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::conv(tx::zeros<float>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<3, 3, 5>{}), tx::stride<2>);
#else
    auto const y = tx::conv(tx::zeros<float>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<3, 3, 5>{}), tx::stride<2, 2>);
#endif
    return static_cast<int>(y.size());
}
