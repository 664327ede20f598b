// expect: tx: rows: while it is traced, the type must tell how many there are
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
using matrix = tx::tensor<float, tx::shape<4, 3>>;
#else
using matrix = tx::tensor<float, tx::shape<tx::dyn, 3>>;
#endif
tx::function const total{[](auto x) {
    auto out = x[0];
    for (auto row : tx::rows(x)) out += row;
    return out;
}};
auto run(matrix const& x) { return total(x); }
