// This file makes tensors of DLPack capsules. A capsule is checked before anything else is done. Its deleter is called once: when
// the last tensor that shares its memory is gone, or as soon as the elements are copied. If an exception is thrown, the capsule
// stays the caller's.
#pragma once

#include <tracexpr/base/gather.hpp>
#include <tracexpr/base/shown_elements.hpp>
#include <tracexpr/dlpack/words.hpp>

#include <cstdint>
#include <vector>

namespace tx::detail {

// These are the elements that a capsule holds.
struct given_elements {
    std::byte* data = nullptr; // the first element
    dims extents{};
    std::int64_t strides[max_rank]{};      // in elements
    device_memory const* memory = nullptr; // the device's memory; null: this process's memory
    char const* unshared = nullptr;        // why tensors can't share the memory

    bool is_row_major() const {
        std::int64_t step = 1;
        for (int axis = extents.rank - 1; axis >= 0; --axis) {
            if (extents[axis] != 1 && strides[axis] != step) return false;
            step *= extents[axis];
        }
        return true;
    }
};

[[noreturn]] inline void throw_unknown_device(DLDevice device, char const* why) {
    throw device_error(
        "tx: from_dlpack: the elements must be in this process's memory, or on a GPU that the program is compiled for; "
        "they are on " +
        name_of_dlpack_device(device) + why + "; copy them to the CPU first");
}
// Gives the memory of the device that has a capsule's elements, or null for this process's memory. Managed memory counts as a
// GPU's if the program is compiled for one.
inline device_memory const* memory_of_capsule(DLDevice device) {
    switch (device.device_type) {
    case kDLCPU:
    case kDLCUDAHost:
    case kDLROCMHost: return nullptr;
    case kDLCUDA:
    case kDLCUDAManaged:
        if (auto const gpu = memory_of_gpu.load(std::memory_order_relaxed)) return &gpu(device.device_id);
        if (device.device_type == kDLCUDAManaged) return nullptr;
        throw_unknown_device(device, ", and no file that nvcc compiles includes tracexpr/thrust.hpp");
    default: throw_unknown_device(device, "");
    }
}

inline dims extents_of_capsule(DLTensor const& given) {
    if (given.ndim < 0 || given.ndim > max_rank)
        throw shape_error("tx: from_dlpack: the capsule must have 0 to 8 axes; it has " + std::to_string(given.ndim));
    if (given.ndim > 0 && !given.shape) throw shape_error("tx: from_dlpack: the capsule must have a shape; it is null");
    dims out;
    for (int axis = 0; axis < given.ndim; ++axis) out.push_back(given.shape[axis]);
    return out;
}

// element_alignment is that of the type as which the elements are read.
template <class Unused = void>
given_elements elements_of_capsule(DLTensor const& given, dtype type, dims const& shape, std::size_t element_alignment) {
    if (!is_same_type(given.dtype, dlpack_type(type)))
        throw type_error("tx: from_dlpack: the capsule's elements must be " + std::string(name(type)) + "; they are " +
                         name_of_dlpack_type(given.dtype));
    given_elements out{.extents = extents_of_capsule(given)};
    check_fits("from_dlpack", shape, out.extents);
    check_extents("from_dlpack", out.extents, size_in_bytes(type));
    out.memory = memory_of_capsule(given.device);
    if (out.extents.size() == 0) return out;
    if (!given.data)
        throw error("tx: from_dlpack: the capsule's data must not be null, as it has elements; its shape is " +
                    to_string(out.extents));
    out.data = static_cast<std::byte*>(given.data) + given.byte_offset;
    auto const row_major = row_major_strides(out.extents);
    for (int axis = 0; axis < out.extents.rank; ++axis)
        out.strides[axis] = given.strides ? given.strides[axis] : row_major[static_cast<std::size_t>(axis)];
    // Kernels on devices move 16 bytes at a time.
    std::size_t const alignment = out.memory ? 16 : element_alignment;
    if (!out.is_row_major()) out.unshared = "its strides are not those of row-major order";
    else if (reinterpret_cast<std::uintptr_t>(out.data) % alignment != 0) out.unshared = "its data isn't aligned";
    return out;
}

// Copies elements on a device that lie at strides. It copies all memory from the first to the last element to the host and
// gathers them there.
inline void gather_from_device(given_elements const& from, std::size_t element_bytes, void* to) {
    std::int64_t first = 0, last = 0;
    for (int axis = 0; axis < from.extents.rank; ++axis) {
        std::int64_t const reach = (from.extents[axis] - 1) * from.strides[axis];
        (reach < 0 ? first : last) += reach;
    }
    auto const bytes = [&](std::int64_t elements) { return elements * static_cast<std::int64_t>(element_bytes); };
    std::vector<std::byte> all(static_cast<std::size_t>(bytes(last - first + 1)));
    from.memory->to_host(all.data(), from.data + bytes(first), bytes(last - first + 1));
    gather_strided(all.data() - bytes(first), from.extents, from.strides, element_bytes, to);
}

template <class Capsule> struct capsule_owner {
    Capsule* capsule = nullptr;

    explicit capsule_owner(Capsule* given) noexcept : capsule{given} {}
    capsule_owner(capsule_owner&& other) noexcept : capsule{std::exchange(other.capsule, nullptr)} {}
    ~capsule_owner() {
        if (capsule) give_back(capsule);
    }
    static void give_back(void* given) noexcept {
        auto* const one = static_cast<Capsule*>(given);
        if (one->deleter) one->deleter(one);
    }
};

// Gives a tensor on the device that has its own memory. It waits for the copy, because the capsule is discarded next.
template <class Tensor> Tensor copied_on_device(given_elements const& from, std::int64_t bytes) {
    bool const is_whole = from.is_row_major();
    remote_elements* const made = is_whole ? from.memory->copied(from.data, bytes) : from.memory->made(bytes);
    Tensor const out = tensor_access::from_remote<Tensor>(made, from.extents);
    if (!is_whole) {
        block_reference const gathered(allocate_block(static_cast<std::size_t>(bytes)));
        gather_from_device(from, sizeof(typename Tensor::value_type), gathered.get());
        from.memory->to_device(made->address, gathered.get(), bytes);
    }
    from.memory->finish();
    return out;
}
// Gives a tensor that has its own memory.
template <class Tensor> Tensor copied_elements(given_elements const& from) {
    using T = typename Tensor::value_type;
    auto const bytes = from.extents.size() * static_cast<std::int64_t>(sizeof(T));
    if constexpr (!is_inline<T, typename Tensor::shape_type>)
        if (from.memory && bytes > 0) return copied_on_device<Tensor>(from, bytes);
    Tensor out = Tensor::uninitialized(from.extents);
    if (bytes == 0) return out;
    if (from.memory) gather_from_device(from, sizeof(T), out.mutable_data());
    else gather_strided(from.data, from.extents, from.strides, sizeof(T), out.mutable_data());
    return out;
}

template <class Tensor, class Capsule> Tensor shared_capsule(given_elements const& from, Capsule* capsule) {
    if (from.memory) {
        std::int64_t const bytes = from.extents.size() * static_cast<std::int64_t>(sizeof(typename Tensor::value_type));
        remote_elements* const lent = from.memory->lent(from.data, bytes, capsule, capsule_owner<Capsule>::give_back);
        return tensor_access::from_remote<Tensor>(lent, from.extents);
    }
    capsule_owner owner(capsule);
    try {
        return lent_tensor<Tensor>(from.data, from.extents, owner);
    } catch (...) {
        owner.capsule = nullptr; // The capsule stays the caller's.
        throw;
    }
}

template <class Tensor, class Capsule> Tensor imported(Capsule* capsule, copy how) {
    using T = typename Tensor::value_type;
    if (!capsule) throw error("tx: from_dlpack: there must be a capsule; the pointer is null");
    if constexpr (requires { capsule->version; })
        if (capsule->version.major != DLPACK_MAJOR_VERSION)
            throw error("tx: from_dlpack: the capsule must be of DLPack's major version 1; it is of version " +
                        std::to_string(capsule->version.major) + "." + std::to_string(capsule->version.minor));
    given_elements given = elements_of_capsule(capsule->dl_tensor, dtype_of<T>, dims_of<typename Tensor::shape_type>, alignof(T));
    constexpr bool is_small = is_inline<T, typename Tensor::shape_type>;
    if (is_small) given.unshared = "a small tensor of known shape holds its elements itself; ask for one with an open extent";
    if (given.extents.size() > 0) {
        if (given.unshared && how == copy::never) throw_not_shared("from_dlpack", given.unshared);
        if constexpr (!is_small)
            if (!given.unshared && how != copy::always) return shared_capsule<Tensor>(given, capsule);
    }
    Tensor out = copied_elements<Tensor>(given);
    capsule_owner<Capsule>::give_back(capsule);
    return out;
}

template <class T> constexpr bool check_imported() {
    static_assert(has_dlpack_type(dtype_of<T>), "tx: from_dlpack: DLPack has no strings and no dual numbers; ask for numbers");
    return has_dlpack_type(dtype_of<T>);
}

} // namespace tx::detail
