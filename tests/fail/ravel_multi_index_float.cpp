// expect: tx: ravel_multi_index: places must be integers whose shapes broadcast
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::ravel_multi_index(std::tuple(i, i), tx::shape<2, 3>{}); }
#else
auto run(tx::tensor<int, tx::shape<4>> const& i, tx::tensor<float, tx::shape<4>> const& x) {
    return tx::ravel_multi_index(std::tuple(i, x), tx::shape<2, 3>{});
}
#endif
