// expect: tx: load<Tree>: the tree must have a default constructor; or make one and load into it: load(path, tree)
#include <tracexpr/files.hpp>

struct tag {
    explicit tag(int) {}
};
struct layer {
    tx::tensor<float> weights;
#ifndef FIXED
    tag made_of;
#endif
};
void run() { static_cast<void>(tx::load<layer>("model.npz")); }
