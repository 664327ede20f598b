// expect: tx: load_csv, save_csv: a struct of columns has tensors of one axis as fields, at most 16
#include <tracexpr/files.hpp>

struct rows {
#ifdef FIXED
    tx::tensor<double, tx::shape<tx::dyn>> price;
#else
    double price;
#endif
};
auto run() { return tx::load_csv<rows>("prices.csv"); }
