// expect: tx: matmul: the last extent of a must equal the last but one of b
#include <tracexpr/tracexpr.hpp>

auto product_of_two() {
    tx::function const product{[](auto a, auto b) { return tx::matmul(a, b); }};
    tx::tensor<float, tx::shape<2, 3>> const wide{{1, 2, 3}, {4, 5, 6}};
    [[maybe_unused]] tx::tensor<float, tx::shape<3, 2>> const tall{{1, 0}, {2, -1}, {0, 3}};
#ifdef FIXED
    return product(wide, tall);
#else
    return product(wide, wide);
#endif
}
