// expect: tx: an expr is no range while it is traced
// errors: 2
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
tx::function const total{[](auto x) {
    auto sum = tx::slice(x, tx::at<0>) * 0;
#ifdef FIXED
    for (auto const& row : tx::unstack(x)) sum = sum + row;
#else
    for (auto const& row : x) sum = sum + tx::slice(row, tx::at<0>);
#endif
    return sum;
}};
auto run(matrix const& x) { return total(x); }
