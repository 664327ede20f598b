// expect-output: last column: \[ 3\.  7\. 11\.\].*error: tx: add: shapes must broadcast
// Shapes broadcast as in NumPy, and parts of a tensor are read with indices that the compiler checks.
#include <tracexpr/tracexpr.hpp>

#include <iostream>

int main() {
    auto const x = tx::reshape<3, 4>(tx::arange<float, 12>());
    std::cout << "x:\n" << x << "\n\n";

    // Extents are aligned from the right; an extent of 1 is repeated. Here (3, 4) with (4) and with (3, 1).
    tx::tensor<float, tx::shape<4>> const row{10, 20, 30, 40};
    auto const column = tx::expand_dims<1>(tx::arange<float, 3>());
    std::cout << "x + row:\n" << x + row << "\n\nx * column:\n" << x * column << "\n\n";
    static_assert(decltype(row + column)::static_dims() == tx::dims{{3, 4}, 2});
    // x + tx::arange<float, 3>() does not compile: the message shows (3, 4) and (3).

    std::cout << "last column: " << tx::slice(x, tx::ellipsis, tx::at<-1>) << '\n'
              << "first two rows, columns 1 and 3:\n"
              << tx::slice(x, tx::range<0, 2>, tx::range<1, tx::open, 2>) << '\n'
              << "rows backwards:\n"
              << tx::slice(x, tx::range<tx::open, tx::open, -1>) << '\n'
              << "a new axis: shape " << tx::to_string(tx::slice(x, tx::new_axis).dimensions()) << "\n\n";

    // Reductions are given the axes to remove; keepdims keeps them with extent 1, ready to broadcast again.
    std::cout << "rows minus their means:\n" << x - tx::mean(x, tx::axis<1>, tx::keepdims) << "\n\n";

    // Here only the run knows an extent. What can be checked when compiling is checked then; the rest throws.
    auto const n = static_cast<std::int64_t>(std::cin.gcount()) + 3;
    auto const dynamic = tx::ones<float, tx::shape<tx::dyn, 4>>(n, 4);
    std::cout << "sum of (x + dynamic): " << tx::sum(x + dynamic).item() << '\n';
    try {
        auto const wrong = tx::ones<float, tx::shape<tx::dyn, 4>>(n + 1, 4);
        std::cout << x + wrong;
    } catch (tx::shape_error const& e) {
        std::cout << "error: " << e.what() << '\n';
    }
}
