// expect: tx: load: no part of the tree may be const
#include <tracexpr/files.hpp>
#include <tuple>
void load_into_const_part(tx::tensor<float> const& weights, tx::tensor<float>& bias) {
#if defined(FIXED)
    tx::load("model.npz", std::tie(bias));
    static_cast<void>(weights);
#else
    tx::load("model.npz", std::tie(weights, bias));
#endif
}
