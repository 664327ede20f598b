// expect: tx: topk: takes x, and tx::axis<...> or tx::smallest, with a number of elements in <>: tx::topk<3>(x)
#include <tracexpr/tracexpr.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::topk<2>(x);
#else
    return tx::topk(x, 2);
#endif
}
