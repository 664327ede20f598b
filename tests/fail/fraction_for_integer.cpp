// expect: tx: tensor: a value must be of the kind of the dtype: no fraction in integers
// lines: 20
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<int> const x{1, static_cast<int>(1.7)};
#else
tx::tensor<int> const x{1, 1.7};
#endif
