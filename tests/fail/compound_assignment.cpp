// expect: tx: +=, -= and their kin keep the dtype of their left side
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<int, tx::shape<3>>;
#ifdef FIXED
void halve(vec& x) { x = tx::floor_divide(x, 2); }
#else
void halve(vec& x) { x /= 2; }
#endif
