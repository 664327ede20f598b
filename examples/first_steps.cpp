// expect-output: ^20\.0.*-> float32\[\].*\[\[2 3\].*\[3 4\].*\[4 5\]\]
#include <tracexpr/tracexpr.hpp>

#include <iostream>

int main() {
    tx::function g{[](auto x, auto y) { return tx::mean(tx::pow(x, 2) * 3 + y); }};

    tx::tensor<float, tx::shape<1, 2>> x{{2, 3}}, y{{3, -2}};
    std::cout << g(x, y) << '\n' << g.signatures()[0] << '\n';

    tx::tensor<int> a = {{1}, {2}, {3}}, b = {1, 2}; // shapes (3, 1) and (2): they broadcast to (3, 2)
    std::cout << a + b << '\n';
}
