// expect: tx: function: an argument must be a tensor
// lines: 60
#include <tracexpr/tracexpr.hpp>
#include <iostream>
#include <vector>

using vec = tx::tensor<float, tx::shape<3>>;
tx::function const doubled{[](auto x) { return x * 2; }};

#ifdef FIXED
vec const numbers{1, 2, 3};
#else
std::vector<float> const numbers{1, 2, 3};
#endif
// The call's value is printed, an operand, an argument, converted, asked for extents and taken apart.
float run() {
    auto const y = doubled(numbers);
    std::cout << y << '\n' << tx::exp(y) + 1 << std::endl;
    tx::tensor<float> const z = doubled(y * 2 - tx::sum(y, tx::axis<0>));
    auto const [value, slope] = tx::value_and_grad([](auto x) { return tx::sum(x); })(y);
    return z.item() + (y.extent(0) == 3 ? value.item() : slope(0));
}
