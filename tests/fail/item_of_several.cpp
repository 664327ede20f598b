// expect: tx: item: takes a tensor of one element
#include <tracexpr/tracexpr.hpp>

tx::tensor<float, tx::shape<2, 2>> const a{{1, 2}, {3, 4}};
#ifdef FIXED
float const total = tx::sum(a).item();
#else
float const total = a.item();
#endif
