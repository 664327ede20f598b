// expect: no std::vector, std::array or C array v; write tx::from_range(v)
// lines: 30
#include <tracexpr/tracexpr.hpp>

float const values[2][2] = {{1, 2}, {3, 4}};
#ifdef FIXED
auto run() { return tx::linalg::det(tx::from_range(values)); }
#else
auto run() { return tx::linalg::det(values); }
#endif
