// expect: use of deleted function | deleted constructor
// lines: 15
// shows: a number of another kind: write static_cast<int>(1.7)
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<int, tx::shape<>> const x{1};
#else
tx::tensor<int, tx::shape<>> const x{1.7};
#endif
