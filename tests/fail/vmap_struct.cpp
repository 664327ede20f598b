// expect: tx: vmap: a struct with tensors of fixed shape can't stand for one example
#include <tracexpr/tracexpr.hpp>

struct pair {
    tx::tensor<double, tx::shape<3>> a{1, 2, 3}, b{4, 5, 6};
};

#ifdef FIXED
auto run() { return tx::vmap([](auto p) { return std::get<0>(p) * std::get<1>(p); })(std::tuple(pair{}.a, pair{}.b)); }
#else
auto run() { return tx::vmap([](auto p) { return p.a * p.b; })(pair{}); }
#endif
