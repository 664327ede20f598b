// expect: takes numbers, and no strings or bool
#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::conv(tx::zeros<int>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<3, 3, 5>{}));
#else
    auto const y = tx::conv(tx::zeros<bool>(tx::shape<2, 9, 3>{}), tx::zeros<float>(tx::shape<3, 3, 5>{}));
#endif
    return static_cast<int>(y.size());
}
