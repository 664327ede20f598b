// expect: tx: save_csv: a file of rows is a matrix or a vector; tx::reshape to one
#include <tracexpr/files.hpp>

#ifdef FIXED
void run(tx::tensor<float, tx::shape<2, 3>> const& x) { tx::save_csv("x.csv", x); }
#else
void run(tx::tensor<float, tx::shape<1, 2, 3>> const& x) { tx::save_csv("x.csv", x); }
#endif
