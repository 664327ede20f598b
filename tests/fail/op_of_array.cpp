// expect: no std::vector, std::array or C array v; write tx::from_range(v)
// lines: 30
#include <tracexpr/tracexpr.hpp>
#include <array>

#ifdef FIXED
auto run(std::array<float, 3> const& v) { return tx::exp(tx::from_range(v)); }
#else
auto run(std::array<float, 3> const& v) { return tx::exp(v); }
#endif
