// expect: w must have c / groups channels
#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::conv(tx::zeros<float>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<3, 3, 5>{}));
#else
    auto const y = tx::conv(tx::zeros<float>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<3, 2, 5>{}));
#endif
    return static_cast<int>(y.size());
}
