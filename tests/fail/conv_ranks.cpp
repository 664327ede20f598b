// expect: x and w must have one rank, of 3 to 5
#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::conv(tx::zeros<float>(tx::shape<1, 9, 3>{}), tx::zeros<float>(tx::shape<3, 3, 5>{}));
#else
    auto const y = tx::conv(tx::zeros<float>(tx::shape<9, 3>{}), tx::zeros<float>(tx::shape<3, 3, 5>{}));
#endif
    return static_cast<int>(y.size());
}
