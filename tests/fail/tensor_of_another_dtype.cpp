// expect: use of deleted function | invokes a deleted function
// shows: another dtype: write tx::cast<float>(x)
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
tx::tensor<float> run(tx::tensor<double> const& x) { return tx::cast<float>(x); }
#else
tx::tensor<float> run(tx::tensor<double> const& x) { return x; }
#endif
