// expect: tx: random: choice: x must have the axis, or be a C++ integer n for 0 ... n - 1
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::choice(a, tx::shape<5>{}, tx::axis<0>); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::choice(a, tx::shape<5>{}, tx::axis<1>); }
#endif
