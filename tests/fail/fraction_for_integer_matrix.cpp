// expect: tx: tensor: a value must be of the kind of the dtype: no fraction in integers
// lines: 20
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<short, tx::shape<2, 2>> const x{{1, 2}, {3, 4}};
#else
tx::tensor<short, tx::shape<2, 2>> const x{{1.5F, 2}, {3, 4}};
#endif
