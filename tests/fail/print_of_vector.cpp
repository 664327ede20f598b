// expect: of a std::vector v write tx::from_range(v)
// lines: 25
#include <tracexpr/tracexpr.hpp>
#include <vector>

#ifdef FIXED
void run(std::vector<float> const& v) { tx::print("{}", tx::from_range(v)); }
#else
void run(std::vector<float> const& v) { tx::print("{}", v); }
#endif
