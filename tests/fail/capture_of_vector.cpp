// expect: tx: capture: a vector, map or optional can't be captured, because only the run tells how many parts it has
#include <tracexpr/tracexpr.hpp>

#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
#ifdef FIXED
using weights = std::array<vec, 2>;
#else
using weights = std::vector<vec>;
#endif

auto run(weights const& all) {
    tx::static_function f{[all = tx::capture(all)](auto x) { return x * all[0]; }};
    return f(vec{1, 2});
}
