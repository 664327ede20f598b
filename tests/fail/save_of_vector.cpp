// expect: tx: save: a tree is made of tensors, variables and numbers, and of structs, tuples, pairs and arrays of these
#include <tracexpr/files.hpp>

#include <vector>

void run() {
#ifdef FIXED
    std::array<tx::tensor<float>, 2> const layers;
#else
    std::vector<tx::tensor<float>> const layers;
#endif
    tx::save("model.npz", layers);
}
