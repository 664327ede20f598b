// expect: tx: these shapes do not broadcast
// lines: 60
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
vec const weights{1, 2, 3};
#else
tx::tensor<float, tx::shape<4>> const weights{1, 2, 3, 4};
#endif

void run(vec const& x) {
    auto const y = x + weights;
    std::cout << y << tx::reshape<3, 1>(tx::relu(y) * 2) << tx::concat(tx::axis<0>, y, x) << tx::where(y > 0, y, x) << std::endl;
    std::cout << tx::grad([](auto w) { return tx::sum(tx::square(w + weights)); })(x) << '\n';
}
