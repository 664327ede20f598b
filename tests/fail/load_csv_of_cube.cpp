// expect: tx: load_csv: a file of rows is a matrix or a vector; ask for one
#include <tracexpr/files.hpp>

#ifdef FIXED
auto x() { return tx::load_csv<float, tx::shape<2, 3>>("x.csv"); }
#else
auto x() { return tx::load_csv<float, tx::shape<1, 2, 3>>("x.csv"); }
#endif
