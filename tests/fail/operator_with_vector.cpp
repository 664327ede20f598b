// expect: no std::vector, std::array or C array v; write tx::from_range(v)
// lines: 30
#include <tracexpr/tracexpr.hpp>
#include <vector>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x, std::vector<float> const& v) { return (x + tx::from_range(v)) * 2; }
#else
auto run(vec const& x, std::vector<float> const& v) { return (x + v) * 2; }
#endif
