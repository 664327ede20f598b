// A small program of two files: a function that the compiler traces, and one that is traced while the program runs.
#include <tracexpr/tracexpr.hpp>

#include <iostream>

tx::tensor<float, tx::shape<tx::dyn>> scaled(tx::tensor<float, tx::shape<tx::dyn>> const& x, float by);

int main() {
    tx::function squares{[](auto x) { return x * x; }};
    tx::tensor<float, tx::shape<tx::dyn>> const x = tx::arange<float>(4);
    tx::tensor<float, tx::shape<tx::dyn>> const y = scaled(squares(x), 0.5f);
    std::cout << y << '\n';
    return tx::equal(y, tx::tensor<float, tx::shape<4>>{0, 0.5, 2, 4.5}) ? 0 : 1;
}
