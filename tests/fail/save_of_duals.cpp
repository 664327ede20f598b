// expect: tx: save: files hold no dual numbers; save their values and tangents
#include <tracexpr/files.hpp>

struct layer {
#ifdef FIXED
    tx::tensor<double> weights;
#else
    tx::tensor<tx::dual<double>> weights;
#endif
};
void run(layer const& l) { tx::save("model.npz", l); }
