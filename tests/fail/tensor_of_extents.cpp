// expect: deleted
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto const r = tx::zeros<float>(2, 3);
#else
tx::tensor<float> const r(2, 3);
#endif
