// expect: tx: load_npy: files hold no dual numbers; load their values and tangents
#include <tracexpr/files.hpp>

#ifdef FIXED
auto x() { return tx::load_npy<double>("x.npy"); }
#else
auto x() { return tx::load_npy<tx::dual<double>>("x.npy"); }
#endif
