// expect: tx: insert: places must be an integer vector of known extent, the axis must lie within the rank of x, and the values
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4>> const& i) { return tx::insert(x, i, 1.0f); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<tx::dyn>> const& i) {
    return tx::insert(x, i, 1.0f);
}
#endif
