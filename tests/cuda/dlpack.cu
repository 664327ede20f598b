// Compiles the bridge to DLPack in a GPU's file: capsules of CUDA memory, and tensors made of them.
#include <tracexpr/arrow.hpp>
#include <tracexpr/dlpack.hpp>
#include <tracexpr/thrust.hpp>

constexpr tx::thrust_device gpu{};
using vec = tx::tensor<float, tx::shape<tx::dyn>>;

struct doubled {
    constexpr auto operator()(auto x) const { return x + x; }
};
DLManagedTensorVersioned* run(DLManagedTensorVersioned* capsule) {
    return tx::to_dlpack(tx::on(gpu, doubled{})(tx::from_dlpack<float, tx::shape<tx::dyn>>(capsule)));
}
DLManagedTensor* run_legacy(DLManagedTensor* capsule) { return tx::to_dlpack_legacy(tx::from_dlpack<tx::half>(capsule)); }
auto run_arrow(ArrowSchema& schema, ArrowArray& array) { return tx::to_arrow(tx::from_arrow<float>(schema, array)); }
