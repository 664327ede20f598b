// expect: tx: matmul: the last extent of a must equal the last but one of b
// lines: 80
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
tx::function const layer{[](auto w, auto x) {
#ifdef FIXED
    return std::pair(tx::relu(tx::matmul(tx::transpose(w), x) + 1), x);
#else
    return std::pair(tx::relu(tx::matmul(w, x) + 1), x);
#endif
}};
void run(matrix const& w, matrix const& x) { std::cout << layer(w, x).first << '\n'; }
