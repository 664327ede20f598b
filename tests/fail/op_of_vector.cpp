// expect: no std::vector, std::array or C array v; write tx::from_range(v)
// lines: 30
#include <tracexpr/tracexpr.hpp>
#include <vector>

#ifdef FIXED
auto run(std::vector<float> const& v) { return tx::sum(tx::from_range(v)); }
#else
auto run(std::vector<float> const& v) { return tx::sum(v); }
#endif
