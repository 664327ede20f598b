// expect: a window must have elements and lie within x and its padding
#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::conv(tx::zeros<float>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<10, 3, 5>{}), tx::widths<1>);
#else
    auto const y = tx::conv(tx::zeros<float>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<10, 3, 5>{}));
#endif
    return static_cast<int>(y.size());
}
