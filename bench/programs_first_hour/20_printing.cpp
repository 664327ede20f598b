// Tensors printed as NumPy prints them, by streams and std::string, and from inside a function while it runs.
#include <tracexpr/tracexpr.hpp>

#include <complex>
#include <iostream>
#include <sstream>

int main() {
    std::cout << tx::arange<int, 12>() << '\n' << tx::reshape<3, 4>(tx::arange<int, 12>()) << '\n';
    std::cout << tx::tensor<double, tx::shape<4>>{1, 0.5, 1e-10, 1e10} << '\n';
    std::cout << tx::tensor<float, tx::shape<3>>{1.0f / 3, 2, -100} << '\n';
    std::cout << tx::tensor<bool, tx::shape<2>>{true, false} << ' '
              << tx::tensor<std::complex<double>, tx::shape<2>>{{1, 2}, {0, -1}} << '\n';
    std::cout << tx::tensor<double, tx::shape<3>>{tx::sqrt(-1.0), 1 / 0.0, -0.0} << '\n';
    std::cout << tx::zeros<float>(tx::shape<0, 3>{}) << ' ' << tx::tensor<float, tx::shape<>>(7) << '\n';
    std::cout << tx::arange<double>(2000) << '\n';

    std::ostringstream text;
    text << tx::eye<float>(tx::shape<2, 2>{});
    std::cout << text.str().size() << " characters\n";

    tx::function f{[](auto x) {
        auto const total = tx::sum(x);
        tx::print("sum {} of {}", total, x);
        return x / total;
    }};
    std::cout << f(tx::tensor<float, tx::shape<2>>{1, 3}) << '\n';
    std::cout << f.signatures()[0] << '\n';

    tx::tensor<double, tx::shape<2>> v{0.1, 0.2};
    double const first = v(0);
    std::cout << "elements: " << v(1) << ' ' << first << '\n';
}
