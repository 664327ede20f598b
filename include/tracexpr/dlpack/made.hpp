// This file makes DLPack capsules of tensors. Each capsule has a reference to the block with the elements, which its deleter
// drops. A write to the tensor meanwhile goes to a copy of the elements, so the capsule's never change.
#pragma once

#include <tracexpr/base/shown_elements.hpp>
#include <tracexpr/dlpack/words.hpp>
#include <tracexpr/trace/expr.hpp>

#include <array>
#include <memory>

namespace tx::detail {

// made_capsule is the capsule together with all that it refers to.
template <class Capsule> struct made_capsule {
    Capsule capsule{};
    block_reference block;
    dims extents;
    std::array<std::int64_t, max_rank> strides;

    static void discard(Capsule* capsule) { delete static_cast<made_capsule*>(capsule->manager_ctx); }
};

template <class Capsule> Capsule* capsule_of(shown_elements&& shown) {
    auto made = std::make_unique<made_capsule<Capsule>>();
    made->block = std::move(shown.block);
    made->extents = shown.extents;
    made->strides = row_major_strides(shown.extents);
    DLTensor& out = made->capsule.dl_tensor;
    out.data = shown.data;
    out.device = shown.memory && !shown.memory->is_readable() ? DLDevice{kDLCUDA, shown.memory->device()} : DLDevice{kDLCPU, 0};
    out.ndim = shown.extents.rank;
    out.dtype = dlpack_type(shown.type);
    out.shape = made->extents.extent;
    out.strides = made->strides.data();
    made->capsule.manager_ctx = made.get();
    made->capsule.deleter = made_capsule<Capsule>::discard;
    if constexpr (requires { made->capsule.flags; }) {
        made->capsule.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
        made->capsule.flags = shown.is_copy ? DLPACK_FLAG_BITMASK_IS_COPIED : DLPACK_FLAG_BITMASK_READ_ONLY;
    }
    return &made.release()->capsule;
}

template <class X> constexpr bool check_exported() {
    constexpr bool is_array = tensor_type<X> || variable_type<X>;
    static_assert(
        is_array,
        "tx: to_dlpack: takes a tensor or a variable; make another library's array or an op's unfinished result a tensor first");
    if constexpr (is_array) {
        constexpr bool has_type = has_dlpack_type(dtype_of<typename X::value_type>);
        static_assert(has_type, "tx: to_dlpack: DLPack has no strings and no dual numbers; export their parts as numbers");
        return has_type;
    }
    return false;
}
template <class Capsule, class X> Capsule* exported(char const* op, X const& x, copy how) {
    if constexpr (!check_exported<X>()) return nullptr;
    else if constexpr (variable_type<X>) return capsule_of<Capsule>(shown_by<true>(op, x.value(), how));
    else return capsule_of<Capsule>(shown_by<true>(op, x, how));
}

} // namespace tx::detail
