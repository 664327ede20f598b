// expect: tx: load_csv: needs in <> the dtype of all columns, or a struct that has a vector for each column
#include <tracexpr/files.hpp>

auto f() {
#ifdef FIXED
    return tx::load_csv<double>("x.csv");
#else
    return tx::load_csv("x.csv");
#endif
}
