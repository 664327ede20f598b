// This file gives another library a tensor's elements to read where they lie. It has a reference to their block, so that they
// stay as they are until the reference is dropped; a write to the tensor meanwhile goes to a copy.
#pragma once

#include <tracexpr/base/lent_elements.hpp>

#include <cstring>
#include <utility>

namespace tx::detail {

// block_reference is a reference to a counted block, or null.
class block_reference {
public:
    block_reference() = default;
    explicit block_reference(void* counted) : block_{counted} {} // It takes over one reference.
    block_reference(block_reference&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
    block_reference& operator=(block_reference&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~block_reference() {
        if (block_) drop_reference(block_);
    }
    static block_reference to(void const* counted) {
        add_reference(counted);
        return block_reference(const_cast<void*>(counted));
    }
    void* get() const { return block_; }

private:
    void* block_ = nullptr;
};

// shown_elements holds a tensor's elements, in row-major order, as another library sees them.
struct shown_elements {
    void* data = nullptr;
    block_reference block{}; // It is null if there are no elements, or if they are never freed.
    dtype type{};
    dims extents{};
    bool is_copy = false;
    device_memory const* memory = nullptr; // the memory of the device that has them
};

// Gives the elements of a tensor on a device. It waits until they are computed, because the other library reads them on another
// stream.
inline shown_elements shown_on_device(shown_elements out, remote_elements& remote, std::int64_t bytes) {
    out.memory = &remote.memory(remote);
    remote_elements* shown = &remote;
    if (out.is_copy) out.block = block_reference(shown = out.memory->copied(remote.address, bytes));
    else out.block = block_reference::to(&remote);
    out.data = shown->address;
    out.memory->finish();
    return out;
}
// Gives a tensor's elements. For a tensor on a device they are a copy in this process's memory unless OnDevice. `op` names what
// was called.
template <bool OnDevice, class T, class Shape> shown_elements shown_by(char const* op, tensor<T, Shape> const& x, copy how) {
    if (!tensor_access::has_values(x)) throw_symbolic(op);
    shown_elements out{.type = dtype_of<T>, .extents = x.dimensions(), .is_copy = how == copy::always};
    std::int64_t const bytes = x.size() * static_cast<std::int64_t>(sizeof(T));
    if (bytes == 0) return out;
    char const* unshared = "a small tensor of known shape holds them itself; give it an open extent";
    if constexpr (!is_inline<T, Shape>) {
        remote_elements* const remote = tensor_access::remote(x);
        if (OnDevice && remote && remote->memory) return shown_on_device(std::move(out), *remote, bytes);
        unshared = "they are on a device; bring the tensor here with tx::to(tx::cpu{}, x)";
        if (!out.is_copy && (!remote || remote->is_here)) {
            out.data = const_cast<T*>(x.data());
            if (void const* const counted = tensor_access::own_data(x)) out.block = block_reference::to(counted);
            return out;
        }
    }
    if (how == copy::never) throw_not_shared(op, unshared);
    out.is_copy = true;
    out.data = allocate_block(static_cast<std::size_t>(bytes));
    out.block = block_reference(out.data);
    std::memcpy(out.data, x.data(), static_cast<std::size_t>(bytes));
    return out;
}

} // namespace tx::detail
