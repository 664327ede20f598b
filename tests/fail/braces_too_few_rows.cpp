// expect: tx: tensor: the braces must be as long as the type's extents say
// lines: 40
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<float, tx::shape<3, 2>> const a{{1, 2}, {3, 4}, {5, 6}};
#else
tx::tensor<float, tx::shape<3, 2>> const a{{1, 2}, {3, 4}};
#endif
