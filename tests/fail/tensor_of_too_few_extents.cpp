// expect: deleted
// shows: takes an extent for each axis: of tx::shape<tx::dyn, 3> write z(2, 3)
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<float, tx::shape<tx::dyn, 3>> const z(2, 3);
#else
tx::tensor<float, tx::shape<tx::dyn, 3>> const z(2);
#endif
