// expect: tx: group_by: values must be numbers, and for min and max those that have an order
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<4>> const& i, tx::tensor<std::string, tx::shape<4>> const& x) {
    return tx::group_by(i).first(x);
}
#else
auto run(tx::tensor<int, tx::shape<4>> const& i, tx::tensor<std::string, tx::shape<4>> const& x) {
    return tx::group_by(i).sum(x);
}
#endif
