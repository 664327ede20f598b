// expect: tx: arrow: a column has bool, integers, tx::half, float or double; cast others, and split complex numbers
#include <tracexpr/arrow.hpp>

#include <complex>

#ifdef FIXED
using element = double;
#else
using element = std::complex<double>;
#endif
auto run(ArrowSchema& schema, ArrowArray& array) { return tx::from_arrow<element>(schema, array); }
