// This file makes capsules by hand, which count how often they are discarded.
#pragma once

#include <tracexpr/dlpack.hpp>

#include <type_traits>
#include <vector>

namespace dlpack_tests {

// Memory that a capsule shows. It outlives the capsule, and records what happened to it.
template <class T, class Capsule = DLManagedTensorVersioned> struct lender {
    std::vector<T> elements;
    std::vector<std::int64_t> extents, strides;
    Capsule capsule{};
    int discarded = 0;

    lender(std::vector<T> values, std::vector<std::int64_t> shape) : elements{std::move(values)}, extents{std::move(shape)} {
        DLTensor& t = capsule.dl_tensor;
        t.data = elements.data();
        t.device = {kDLCPU, 0};
        t.ndim = static_cast<std::int32_t>(extents.size());
        t.dtype = tx::detail::dlpack_type(tx::dtype_of<T>);
        t.shape = extents.data();
        capsule.manager_ctx = this;
        capsule.deleter = [](Capsule* c) { ++static_cast<lender*>(c->manager_ctx)->discarded; };
        if constexpr (std::is_same_v<Capsule, DLManagedTensorVersioned>) capsule.version = {1, 1};
    }
    lender(lender const&) = delete;
    DLTensor& tensor() { return capsule.dl_tensor; }
    void set_strides(std::vector<std::int64_t> steps) {
        strides = std::move(steps);
        tensor().strides = strides.data();
    }
    T* first() { return elements.data(); }
};

} // namespace dlpack_tests
