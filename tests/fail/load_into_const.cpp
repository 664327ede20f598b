// expect: tx: load: the tree to load into must not be const; load<Tree>(path) gives a new one
#include <tracexpr/files.hpp>

struct layer {
    tx::tensor<float> weights;
};
#ifdef FIXED
void run(layer& l) { tx::load("model.npz", l); }
#else
void run(layer const& l) { tx::load("model.npz", l); }
#endif
