// expect: tx: tensor: the braces must be as long as the type's extents say
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<double, tx::shape<tx::dyn, 2>> const a{{1, 2}, {3, 4}};
#else
tx::tensor<double, tx::shape<tx::dyn, 2>> const a{{1, 2, 3}};
#endif
