// Compiles the headers for files under nvcc, whose own front end does not know the names of fields.
#include <tracexpr/files.hpp>

struct layer {
    tx::variable<float, tx::shape<2>> weights;
    tx::tensor<double> bias;
    int steps = 0;
};
void save(std::array<layer, 2> const& layers) { tx::save("layers.npz", layers); }
std::array<layer, 2> load() { return tx::load<std::array<layer, 2>>("layers.safetensors"); }
tx::named_tensors all() { return tx::load_npz("layers.npz"); }
