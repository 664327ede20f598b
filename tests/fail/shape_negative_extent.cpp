// expect: tx: shape: an extent is zero, positive or tx::dyn
// errors: 2
#include <tracexpr/base/shape.hpp>

#ifdef FIXED
constexpr int rank = tx::shape<2, tx::dyn>::rank;
#else
constexpr int rank = tx::shape<2, -3>::rank;
#endif
static_assert(rank == 2);
