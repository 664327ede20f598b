// expect: tx: ldexp: the exponents must be integers; cast them, or multiply by tx::exp2(n)
#include <tracexpr/special.hpp>
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<double, tx::shape<5>>;
#ifdef FIXED
auto run(vec const& x, vec const& n) { return tx::ldexp(x, tx::cast<int>(n)); }
#else
auto run(vec const& x, vec const& n) { return tx::ldexp(x, n); }
#endif
