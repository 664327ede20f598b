// expect: tx: function: an argument must be a tensor
#include <tracexpr/tracexpr.hpp>

#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
struct leaf {
    vec value;
};
struct node {
    vec value;
#ifdef FIXED
    std::vector<leaf> children;
#else
    std::vector<node> children;
#endif
};
tx::function const doubled{[](auto const& n) { return n.value * 2; }};
auto run(node const& n) { return doubled(n); }
