// A program that takes little time to compile: a function that the compiler traces.
#include <tracexpr/tracexpr.hpp>

int main() {
    tx::function squares{[](auto x) { return x * x; }};
    tx::tensor<float, tx::shape<4>> const x{0, 1, 2, 3};
    return tx::equal(squares(x), tx::tensor<float, tx::shape<4>>{0, 1, 4, 9}) ? 0 : 1;
}
