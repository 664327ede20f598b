// A small program of two files: a function that the compiler traces, and one that is traced while the program runs.
#include <tracexpr/tracexpr.hpp>

#include <iostream>
#if __has_include(<linear.hpp>)
#include <linear.hpp> // linear.onnx, x times {{1, 2}, {3, 4}}, where tracexpr_add_onnx wrote it
#endif

tx::tensor<float, tx::shape<tx::dyn>> scaled(tx::tensor<float, tx::shape<tx::dyn>> const& x, float by);

int main() {
    tx::function squares{[](auto x) { return x * x; }};
    tx::tensor<float, tx::shape<tx::dyn>> const x = tx::arange<float>(4);
    tx::tensor<float, tx::shape<tx::dyn>> const y = scaled(squares(x), 0.5f);
    std::cout << y << '\n';
#if __has_include(<linear.hpp>)
    tx::function const product{[](auto const& a) { return linear(a); }};
    if (!tx::equal(product(tx::tensor<float, tx::shape<1, 2>>{{1, 1}}), tx::tensor<float, tx::shape<1, 2>>{{4, 6}})) return 1;
#endif
    return tx::equal(y, tx::tensor<float, tx::shape<4>>{0, 0.5, 2, 4.5}) ? 0 : 1;
}
