// expect: tx: tree_map, all_reduce, data_parallel: a struct keeps its type, so each of its fields must be able to hold what becomes of it: a tensor of the same dtype
#include <tracexpr/tracexpr.hpp>

struct counts {
    tx::tensor<int, tx::shape<2>> n;
};
auto f(counts const& c) {
#ifdef FIXED
    return tx::tree_map([](auto const& n) { return n * 2; }, c);
#else
    return tx::tree_map([](auto const& n) { return n * 0.5; }, c);
#endif
}
