// expect: tx: reverse_sequence: takes an axis of x and a batch axis, which differ, and an integer length for each element of the
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4, 3>> const& x, tx::tensor<int, tx::shape<4>> const& i) {
    return tx::reverse_sequence(x, i, tx::axis<1>);
}
#else
auto run(tx::tensor<float, tx::shape<4, 3>> const& x, tx::tensor<int, tx::shape<4>> const& i) {
    return tx::reverse_sequence(x, i, tx::axis<0>);
}
#endif
