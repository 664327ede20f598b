// expect: tx: save: a tree is made of tensors, variables and numbers, and of structs, tuples, pairs, arrays, vectors
#include <tracexpr/files.hpp>

#include <list>

void run() {
#ifdef FIXED
    std::array<tx::tensor<float>, 2> const layers;
#else
    std::list<tx::tensor<float>> const layers;
#endif
    tx::save("model.npz", layers);
}
