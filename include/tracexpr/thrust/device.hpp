// This file holds tx::thrust_device, the device on which Thrust computes, and tensors on it. Under nvcc it is a GPU; else it is
// this machine's cores, through Thrust's host system.
#pragma once

#include <tracexpr/run/on.hpp>
#include <tracexpr/run/trees/tree_map.hpp>
#include <tracexpr/thrust/queue.hpp>

namespace tx {

inline namespace TRACEXPR_DEVICE {

// The device with number `index`.
struct thrust_device {
    int index = 0;
};
#if TRACEXPR_ON_GPU
using thrust_points = thrust_device;
#else
// As thrust_device, but with the kernels of a GPU, which compute each point of a loop in its own thread, so that they can be
// tested where there is no GPU.
struct thrust_points {
    int index = 0;
    constexpr operator thrust_device() const { return {index}; }
};
#endif

} // namespace TRACEXPR_DEVICE

namespace detail::inline TRACEXPR_DEVICE {

inline std::string device_name(int index) {
    return "thrust_device " + std::to_string(index) + " (" + std::string(system_name) + ")";
}

// The elements of a tensor on a device and, once they have been read, their copy in this process's memory.
class device_elements : public remote_elements {
public:
    // Makes elements with memory of their own. The object is in a counted block of the heap, as tensors expect it.
    static device_elements* make(device_queue& queue, std::int64_t bytes) {
        device_block block(queue, bytes);
        void* const place = allocate_block(sizeof(device_elements));
        auto* const made = ::new (place) device_elements(std::move(block), queue.index());
        header_of(place)->let_go = [](void* elements) noexcept { static_cast<device_elements*>(elements)->~device_elements(); };
        return made;
    }
    // Makes elements in memory that belongs to `owner`, who gets it back at the end.
    static device_elements* lent(device_queue& queue, void* at, std::int64_t bytes, void* owner,
                                 void (*give_back)(void*) noexcept) {
        device_elements* const made = make(queue, 0);
        made->address = at, made->lent_bytes_ = bytes, made->owner_ = owner, made->give_back_ = give_back;
        return made;
    }
    // Gives the elements where a device of this system has them; else null.
    static device_elements* of(remote_elements* any) {
        return any && any->device == name ? static_cast<device_elements*>(any) : nullptr;
    }
    static std::string name(remote_elements const& any) { return device_name(static_cast<device_elements const&>(any).index_); }

    int index() const { return index_; }
    std::int64_t bytes() const { return is_lent() ? lent_bytes_ : memory_.bytes(); }
    bool is_lent() const { return give_back_ != nullptr; }
    bool has_copy() const {
        std::lock_guard const lock(guard_);
        return copy_ != nullptr;
    }

private:
    device_elements(device_block&& block, int index) : memory_{std::move(block)}, index_{index} {
        address = memory_.data();
        read = copy_of;
        device = name;
        memory = memory_of;
    }
    ~device_elements() {
        if (copy_) drop_reference(copy_);
        if (is_lent()) finish_and_give_back();
    }
    // Waits for the queue first, because the owner may reuse the memory at once, on any stream.
    void finish_and_give_back() noexcept {
        try {
            device_queue::of(index_).finish();
        } catch (...) { // whoever asks for results is told what failed on the device
        }
        give_back_(owner_);
    }
    static device_memory const& memory_of(remote_elements const& any);
    static void const* copy_of(remote_elements& any) {
        auto& self = static_cast<device_elements&>(any);
        std::lock_guard const lock(self.guard_);
        if (self.copy_) return self.copy_;
        void* const copy = allocate_block(static_cast<std::size_t>(self.bytes()));
        try {
            device_queue::of(self.index_).to_host(copy, self.address, self.bytes());
        } catch (...) {
            drop_reference(copy);
            throw;
        }
        return self.copy_ = copy;
    }

    device_block memory_;
    int index_;
    mutable std::mutex guard_;
    void* copy_ = nullptr;
    std::int64_t lent_bytes_ = 0;
    void* owner_ = nullptr;
    void (*give_back_)(void*) noexcept = nullptr;
};

// Gives the elements, and throws where they are not on this device.
inline device_elements& require_on_device(remote_elements& any, device_queue const& queue, std::string const& what = "a tensor") {
    device_elements* const found = device_elements::of(&any);
    if (!found || found->index() != queue.index())
        throw device_error("tx: " + what + " is on " + any.device(any) + ", the function that was given it on " +
                           device_name(queue.index()) + "; move it with tx::to");
    return *found;
}

// A queue's memory, for code that knows neither queues nor Thrust.
class queue_memory final : public device_memory {
public:
    explicit queue_memory(device_queue& queue) : queue_{queue} {}

    // The object stays as long as the program runs, as queues do.
    static queue_memory const& of(device_queue& queue) {
        static std::mutex guard;
        static auto& all = *new std::map<device_queue*, queue_memory>;
        std::lock_guard const lock(guard);
        return all.try_emplace(&queue, queue).first->second;
    }

    remote_elements* made(std::int64_t bytes) const override { return device_elements::make(queue_, bytes); }
    remote_elements* copied(void const* from, std::int64_t bytes) const override {
        remote_elements* const out = made(bytes);
        try {
            queue_.within(out->address, from, bytes);
        } catch (...) {
            drop_reference(static_cast<void*>(static_cast<device_elements*>(out)));
            throw;
        }
        return out;
    }
    remote_elements* lent(void* at, std::int64_t bytes, void* owner, void (*give_back)(void*) noexcept) const override {
        return device_elements::lent(queue_, at, bytes, owner, give_back);
    }
    void take(void* to, remote_elements& from, std::int64_t bytes, std::size_t result) const override {
        queue_.within(
            to, require_on_device(from, queue_, "opaque: result " + std::to_string(result) + " of the callable").address, bytes);
    }
    void to_device(void* to, void const* from, std::int64_t bytes) const override { queue_.to_device(to, from, bytes); }
    void to_host(void* to, void const* from, std::int64_t bytes) const override { queue_.to_host(to, from, bytes); }
    void clear(void* to, std::int64_t bytes) const override { queue_.clear(to, bytes); }
    void within(void* to, void const* from, std::int64_t bytes) const override { queue_.within(to, from, bytes); }
    void* allocate(std::int64_t bytes) const override { return queue_.allocate(bytes); }
    void free(void* memory, std::int64_t bytes) const noexcept override { queue_.free(static_cast<std::byte*>(memory), bytes); }
    void finish() const override { queue_.finish(); }
    int device() const override { return queue_.index(); }
    void* stream() const override {
#if TRACEXPR_ON_GPU
        return queue_.stream();
#else
        return nullptr;
#endif
    }
    bool is_readable() const override { return !on_gpu; }

private:
    device_queue& queue_;
};
inline device_memory const& device_elements::memory_of(remote_elements const& any) {
    return queue_memory::of(device_queue::of(static_cast<device_elements const&>(any).index_));
}
#if TRACEXPR_ON_GPU
inline device_memory const& memory_of_device(int index) { return queue_memory::of(device_queue::of(index)); }
// This runs before main.
inline bool const gpus_are_known = (memory_of_gpu.store(memory_of_device, std::memory_order_relaxed), true);
#endif

// Do tensors of that type always store their elements in the object?
template <class Tensor> inline constexpr bool stays_here = is_inline<typename Tensor::value_type, typename Tensor::shape_type>;

// Gives a tensor with the elements of x on the device, unless its type stores elements in the object.
template <class A> A moved_to_device(device_queue&, A const& x) { return x; }
template <tensor_type Tensor> Tensor moved_to_device(device_queue& queue, Tensor const& x) {
    if constexpr (stays_here<Tensor>) {
        return x;
    } else {
        if (tensor_access::is_symbolic(x)) return x;
        device_elements const* const from = device_elements::of(tensor_access::remote(x));
        if (from && from->index() == queue.index()) return x;
        device_elements* const to =
            device_elements::make(queue, x.size() * static_cast<std::int64_t>(sizeof(typename Tensor::stored_type)));
        Tensor out = tensor_access::from_remote<Tensor>(to, x.dimensions());
        queue.to_device(to->address, x.data(), to->bytes());
        tensor_access::identity(out).renumber(tensor_access::identity(x).number());
        return out;
    }
}
// Gives the elements of a tensor that is on some device of this system; throws where it is on none.
template <class Tensor> device_elements& elements_on_device(Tensor const& x, char const* what) {
    static_assert(!stays_here<Tensor>,
                  "tx: device_data: small tensors of known shape hold their elements themselves, on no device; "
                  "give the tensor an open extent: tx::shape<tx::dyn>");
    remote_elements* const elsewhere = tensor_access::remote(x);
    device_elements* const found = device_elements::of(elsewhere);
    if (!found)
        throw device_error("tx: " + std::string(what) + ": the tensor is on " +
                           (elsewhere ? elsewhere->device(*elsewhere) : "the cpu") + "; move it with tx::to");
    return *found;
}

template <class A> A moved_to_host(A const& x) { return x; }
template <tensor_type Tensor> Tensor moved_to_host(Tensor const& x) {
    remote_elements const* const elsewhere = tensor_access::remote(x);
    if (!elsewhere || elsewhere->is_here) return x;
    Tensor out = Tensor::uninitialized(x.dimensions());
    if (auto const count = static_cast<std::size_t>(x.size()))
        std::memcpy(static_cast<void*>(out.mutable_data()), x.data(), count * sizeof(typename Tensor::stored_type));
    tensor_access::identity(out).renumber(tensor_access::identity(x).number());
    return out;
}

} // namespace detail::inline TRACEXPR_DEVICE

inline namespace TRACEXPR_DEVICE {

// A tensor with its elements on the device, or all tensors of a tuple, array, pair or struct. Small tensors of known shape (up to
// 512 bytes) store their elements in the object, and are copied to the device with each call; so are numbers. Throws device_error
// where there is no such device, or no memory left. Inside a traced callable it gives x, as the place is decided where the
// callable runs.
template <class A> [[nodiscard]] constexpr A to(thrust_device where, A const& x) {
    static_assert(!variable_type<A>,
                  "tx: to: a variable stays where it is until it is assigned to; write v.assign(tx::to(device, v.value()))");
    static_assert(detail::facts<A>.is_tree,
                  "tx: to: the argument must be a tensor, a number, or a tuple, array, pair or struct of "
                  "these; a class with a constructor or private members is none");
    if (__builtin_is_constant_evaluated()) return x;
    detail::device_queue& queue = detail::device_queue::of(where.index);
    return tree_map([&](auto const& part) { return detail::moved_to_device(queue, part); }, x);
}
// x with all elements in this process's memory. (Reading elements of a tensor on a device copies them here, too, and keeps the
// copy.)
template <class A> [[nodiscard]] constexpr A to(cpu, A const& x) {
    if (__builtin_is_constant_evaluated()) return x;
    return tree_map([&](auto const& part) { return detail::moved_to_host(part); }, x);
}

// These overloads explain in an error that the arguments are in the wrong order.
template <class A> constexpr A to(A const& x, thrust_device) {
    static_assert(always_false<A>, "tx: to: the place comes first; write tx::to(device, x)");
    return x;
}
template <class A> constexpr A to(A const& x, cpu) {
    static_assert(always_false<A>, "tx: to: the place comes first; write tx::to(tx::cpu{}, x)");
    return x;
}

// The place of a tensor's elements: "cpu", or "thrust_device 0 (CUDA)".
template <class T, class Shape> [[nodiscard]] std::string device_of(tensor<T, Shape> const& x) {
    detail::remote_elements const* const elsewhere = detail::tensor_access::remote(x);
    return elsewhere ? elsewhere->device(*elsewhere) : "cpu";
}
template <variable_type V> [[nodiscard]] std::string device_of(V const& v) { return device_of(v.unrecorded()); }

// The address of a tensor's elements on its device, row-major, for kernels of one's own and for libraries; it is valid as long as
// the tensor has these elements. Work that was given to the device's queue before may still have to write them: read them in
// tx::stream_of(device) after that work, or wait with tx::synchronize. It is null where there are no elements. Throws
// device_error where the tensor is not on a device.
template <class T, class Shape>
[[nodiscard]] typename tensor<T, Shape>::stored_type const* device_data(tensor<T, Shape> const& x) {
    using elements = typename tensor<T, Shape>::stored_type;
    return static_cast<elements const*>(detail::elements_on_device(x, "device_data").address);
}
template <class T, class Shape>
[[nodiscard]] typename tensor<T, Shape>::stored_type const* device_data(tensor<T, Shape> const&&) {
    static_assert(always_false<T>, "tx: device_data: the tensor is gone before its elements are read; keep it in a variable");
    return nullptr;
}
// The address of a tensor's elements on its device, to write to. Like x.mutable_data() it makes the tensor's own copy of elements
// that other tensors share, that another library owns, or that this process has a copy of, so ask for the address anew once
// elements have been read. A gradient tape that knows the tensor can't see what is written, and refuses derivatives through it
// from then on.
template <class T, class Shape> [[nodiscard]] typename tensor<T, Shape>::stored_type* mutable_device_data(tensor<T, Shape>& x) {
    using elements = typename tensor<T, Shape>::stored_type;
    detail::device_elements& now = detail::elements_on_device(x, "mutable_device_data");
    std::uint32_t number = 0;
    if (detail::tensor_access::identity(x).number() != 0) {
        detail::element_write write{};
        write.before = detail::seen(x);
        number = detail::number_after(write);
    }
    if (!detail::tensor_access::is_exclusive(x) || now.has_copy() || now.is_lent()) {
        detail::device_queue& queue = detail::device_queue::of(now.index());
        detail::device_elements* const own = detail::device_elements::make(queue, now.bytes());
        auto next = detail::tensor_access::from_remote<tensor<T, Shape>>(own, x.dimensions());
        queue.within(own->address, now.address, now.bytes());
        x = std::move(next);
    }
    detail::tensor_access::identity(x).renumber(number);
    return static_cast<elements*>(detail::elements_on_device(x, "mutable_device_data").address);
}
#if TRACEXPR_ON_GPU
// The stream in which the device does the library's work in order. Kernels of one's own that read or write tensors there belong
// in it, or in a stream that waits for it.
[[nodiscard]] inline cudaStream_t stream_of(thrust_device where) { return detail::device_queue::of(where.index).stream(); }
#endif

// Waits for all work that the device was given. Throws device_error where some of it failed.
inline void synchronize(thrust_device where) { detail::device_queue::of(where.index).finish(); }
// The bytes of the device's memory that tensors and calls under way use.
[[nodiscard]] inline std::int64_t memory_in_use(thrust_device where) {
    return detail::device_queue::of(where.index).bytes_in_use();
}
// Gives memory that was freed, and is kept for later use, back to the device.
inline void release_memory(thrust_device where) { detail::device_queue::of(where.index).release_unused(); }

} // namespace TRACEXPR_DEVICE
} // namespace tx
