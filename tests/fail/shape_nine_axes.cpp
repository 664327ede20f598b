// expect: tx: shape: at most 8 axes
// errors: 2
#include <tracexpr/base/shape.hpp>

#ifdef FIXED
constexpr int rank = tx::shape<1, 2, 3, 4, 5, 6, 7, 8>::rank;
#else
constexpr int rank = tx::shape<1, 2, 3, 4, 5, 6, 7, 8, 9>::rank;
#endif
static_assert(rank > 0);
