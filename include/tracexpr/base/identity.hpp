// This file has what a tensor stands for beyond its elements: a node of a trace, a value that gradient tapes know, elements on a
// device or of another library, or, in a constant evaluation, a constant that is not computed.
#pragma once

#include <tracexpr/base/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace tx::detail {

// symbol_scope is what a symbolic tensor belongs to; the trace derives its builder from this. In the running program it has a
// number, and it is listed while it lives (trace/live_scopes.hpp).
struct symbol_scope {
    std::uint32_t number = 0;
    symbol_scope* next = nullptr;
};

// `deferred` is a constant whose elements a constant evaluation has not computed, because compilers limit its steps. Its holders
// share it, and the last one discards it. Tensors on the heap hold it themselves; tensors whose elements are inside the object
// have trivial destructors, and the trace that they belong to holds it for them. (It has function pointers, not virtual
// functions: g++ 12 doesn't delete an object through its base in a constant evaluation.)
struct deferred : symbol_scope {
    std::int32_t holders = 0;
    bool is_pattern = false; // It is a pattern of base/create.hpp, or recorded in a trace.
    void (*discard)(deferred*) = nullptr;

    constexpr void let_go() {
        if (--holders == 0) discard(this);
    }
};
template <class T> struct deferred_elements : deferred {
    T const* (*compute)(deferred_elements&) = nullptr;
};

class device_memory;

// remote_elements holds elements in a device's memory, or elements in this process's memory that somebody else keeps and lends to
// tensors (base/lent_elements.hpp). The object lies in the heap block that the tensors share.
struct remote_elements : symbol_scope {
    using name_of_device = std::string (*)(remote_elements const&); // It differs for each kind of device.

    void* address = nullptr; // The address is on the device unless is_here.
    // It gives a copy in this process's memory, which lasts as long as this object.
    void const* (*read)(remote_elements&) = nullptr;
    name_of_device device = nullptr;
    // It gives the memory where they are, which stays as long as the program runs.
    device_memory const& (*memory)(remote_elements const&) = nullptr;
    bool is_here = false; // The address is in this process's memory; everybody may read it and nobody writes to it.
};
// device_memory is the memory of a device, for code that has its operands there and leaves its results there, so that neither
// goes through this process's memory: the user's callables in a run on the device, and collectives. All that is done to it is
// ordered by the device's queue, behind the work that the queue was given before.
class device_memory {
public:
    // Makes elements whose values are still to be written, in a heap block with one reference.
    virtual remote_elements* made(std::int64_t bytes) const = 0;
    // Makes elements with the values at `from`, in a heap block with one reference.
    virtual remote_elements* copied(void const* from, std::int64_t bytes) const = 0;
    // Copies the elements of result number `result` of the call. Throws device_error if another device has them.
    virtual void take(void* to, remote_elements& from, std::int64_t bytes, std::size_t result) const = 0;
    // Makes elements of those at `at`, which `owner` keeps, in a heap block with one reference. They are never written to. When
    // the last reference is dropped, give_back(owner) is called once all work is done that the queue was given before.
    virtual remote_elements* lent(void* at, std::int64_t bytes, void* owner, void (*give_back)(void* owner) noexcept) const = 0;
    virtual void to_device(void* to, void const* from, std::int64_t bytes) const = 0;
    virtual void to_host(void* to, void const* from, std::int64_t bytes) const = 0;
    virtual void clear(void* to, std::int64_t bytes) const = 0;
    virtual void within(void* to, void const* from, std::int64_t bytes) const = 0;
    virtual void* allocate(std::int64_t bytes) const = 0;
    virtual void free(void* memory, std::int64_t bytes) const noexcept = 0; // Work on the memory may still be under way.
    virtual void finish() const = 0;                                        // It waits for all work that the queue was given.

    virtual int device() const = 0;       // its number among the devices of its kind
    virtual void* stream() const = 0;     // the queue: a cudaStream_t for a GPU, else null
    virtual bool is_readable() const = 0; // It tells whether this process can read and write the memory itself.

protected:
    ~device_memory() = default;
};
// This gives the memory of the GPU with that number, for code that gets elements there from elsewhere; it throws device_error if
// there is no such GPU. It is null if no file of the program is compiled for a GPU; thrust/device.hpp sets it.
inline constinit std::atomic<device_memory const& (*)(int index)> memory_of_gpu{nullptr};

// This owns memory of a device while it exists.
class scratch_on_device {
public:
    scratch_on_device(device_memory const& memory, std::int64_t bytes)
        : memory_{memory}, data_{memory.allocate(bytes)}, bytes_{bytes} {}
    scratch_on_device(scratch_on_device const&) = delete;
    scratch_on_device& operator=(scratch_on_device const&) = delete;
    ~scratch_on_device() { memory_.free(data_, bytes_); }
    void* data() const { return data_; }

private:
    device_memory const& memory_;
    void* data_;
    std::int64_t bytes_;
};
// While one of these exists on a thread, data() of a tensor on a device copies nothing but tells it which elements it met, for
// callers that can use the address. data() then gives the address if this process can read the device's memory; for callers that
// read on one device what is on another it gives a copy, and otherwise null. A run on a device names in it the memory that it
// computes in.
class remote_scope {
public:
    explicit remote_scope(remote_elements::name_of_device readable = nullptr, device_memory const* memory = nullptr)
        : before_{std::exchange(innermost(), this)}, readable_{readable}, memory_{memory} {}
    ~remote_scope() { innermost() = before_; }
    remote_scope(remote_scope const&) = delete;
    remote_scope& operator=(remote_scope const&) = delete;

    void const* meet(remote_elements& elements) {
        if (elements.is_here) return elements.address;
        requested_ = &elements;
        if (elements.device == readable_) return elements.address;
        return readable_ ? elements.read(elements) : nullptr;
    }
    // Gives the elements that were met since the last call.
    remote_elements* take_met() { return std::exchange(requested_, nullptr); }
    static device_memory const* memory() { return innermost() ? innermost()->memory_ : nullptr; }

    static remote_scope*& innermost() {
        constinit thread_local remote_scope* scope = nullptr;
        return scope;
    }

private:
    remote_scope* before_;
    remote_elements::name_of_device readable_;
    device_memory const* memory_;
    remote_elements* requested_ = nullptr;
};

// While one of these exists on a thread, there is no remote_scope: it is for the user's callables that a run calls.
class no_remote_scope {
public:
    no_remote_scope() : before_{std::exchange(remote_scope::innermost(), nullptr)} {}
    ~no_remote_scope() { remote_scope::innermost() = before_; }
    no_remote_scope(no_remote_scope const&) = delete;
    no_remote_scope& operator=(no_remote_scope const&) = delete;

private:
    remote_scope* before_;
};

// This tells whether the program has made a symbolic tensor or a gradient tape at run time. Until then calls needn't ask for one.
inline constinit std::atomic<bool> calls_may_be_watched{false};

// tensor_identity is what a tensor stands for beyond its elements. A symbolic tensor is a node of a trace, its owner, and has the
// owner's number (while functions run eagerly it has its elements, too). A concrete tensor is a value that gradient tapes know by
// a number, or 0 if none does. Copies keep the number, and a write ends it; a const tensor may get a number, too. In a constant
// evaluation a tensor may be a deferred constant.
class tensor_identity {
public:
    constexpr tensor_identity() = default;
    constexpr tensor_identity(symbol_scope* owner, std::int32_t node, bool has_values)
        : owner_{owner}, node_{has_values ? ~node : node}, number_{owner->number} {
        if (!__builtin_is_constant_evaluated()) calls_may_be_watched.store(true, std::memory_order_relaxed);
    }
    constexpr explicit tensor_identity(deferred* constant) : owner_{constant}, node_{deferred_node} {}
    explicit tensor_identity(remote_elements* elements) : owner_{elements}, node_{remote_node} {
        calls_may_be_watched.store(true, std::memory_order_relaxed);
    }
    constexpr tensor_identity(tensor_identity const& other) noexcept
        : owner_{other.owner_}, node_{other.node_}, number_{other.number()} {}
    constexpr tensor_identity(tensor_identity&& other) noexcept : tensor_identity(std::as_const(other)) { other.leave(); }
    constexpr tensor_identity& operator=(tensor_identity const& other) noexcept {
        owner_ = other.owner_, node_ = other.node_, number_ = other.number();
        return *this;
    }
    constexpr tensor_identity& operator=(tensor_identity&& other) noexcept {
        *this = std::as_const(other);
        if (this != &other) other.leave();
        return *this;
    }
    constexpr ~tensor_identity() = default;

    // Gives the owner of a symbolic tensor.
    constexpr symbol_scope* owner() const { return node_ == remote_node ? nullptr : owner_; }
    constexpr bool is_plain() const { return owner_ == nullptr; }
    constexpr std::int32_t node() const { return node_ < 0 ? ~node_ : node_; }
    constexpr bool has_values() const { return node_ < 0; }
    // Gives the deferred constant; it is null in the running program.
    TRACEXPR_INLINE constexpr deferred* constant() const {
        return __builtin_is_constant_evaluated() && node_ == deferred_node ? static_cast<deferred*>(owner_) : nullptr;
    }
    constexpr remote_elements* remote() const {
        return !__builtin_is_constant_evaluated() && node_ == remote_node ? static_cast<remote_elements*>(owner_) : nullptr;
    }
    // The number is atomic because threads may share a const tensor, each with a tape of its own. A constant evaluation can't
    // read a mutable member, but there are no tapes then.
    constexpr std::uint32_t number() const {
        if (__builtin_is_constant_evaluated()) return 0;
        return std::atomic_ref(number_).load(std::memory_order_relaxed);
    }
    void renumber(std::uint32_t number) const { std::atomic_ref(number_).store(number, std::memory_order_relaxed); }
    // Gives the number after setting it to `fresh` if there was none.
    std::uint32_t number_or(std::uint32_t fresh) const {
        std::uint32_t known = 0;
        return std::atomic_ref(number_).compare_exchange_strong(known, fresh, std::memory_order_relaxed) ? fresh : known;
    }
    // Tells whether a tape knows this concrete tensor, which is about to be written to. (No other thread may read it then.)
    TRACEXPR_INLINE constexpr bool is_numbered() const {
        return !__builtin_is_constant_evaluated() && number_ != 0 && owner_ == nullptr;
    }
    // Tells whether the tensor is its elements only: neither a trace nor a tape knows it.
    TRACEXPR_INLINE constexpr bool is_elements_alone() const {
        return owner_ == nullptr && (__builtin_is_constant_evaluated() || number_ == 0);
    }
    // Gives the number of a tensor that gets elements of its own. One that was on a device was concrete and keeps its number; a
    // symbolic one has none.
    constexpr std::uint32_t number_of_elements() const { return remote() ? number() : 0; }
    // Forgets the number, because a written tensor is a new value which no tape knows.
    constexpr void forget() {
        if (!__builtin_is_constant_evaluated()) number_ = 0;
    }
    // Leaves the state of a moved-from tensor: elements on a device go with the tensor that was moved.
    constexpr void leave() {
        forget();
        if (remote()) owner_ = nullptr, node_ = -1;
    }
    // This is for TRACEXPR_READABLE.
    TRACEXPR_INLINE constexpr bool is_readable() const { return TRACEXPR_READABLE(owner_ == nullptr, number_); }

private:
    static constexpr std::int32_t deferred_node = std::numeric_limits<std::int32_t>::max(), remote_node = deferred_node - 1;

    symbol_scope* owner_ = nullptr;
    std::int32_t node_ = -1; // It is the complement where there are elements, too.
    mutable std::uint32_t number_ = 0;
};

// holding_identity is the identity of a tensor on the heap, which holds the deferred constant that it may stand for.
class holding_identity : public tensor_identity {
public:
    constexpr holding_identity() = default;
    constexpr holding_identity(tensor_identity const& other) noexcept : tensor_identity(other) { hold(); }
    constexpr holding_identity(holding_identity const& other) noexcept : tensor_identity(other) { hold(); }
    constexpr holding_identity(holding_identity&& other) noexcept : tensor_identity(static_cast<tensor_identity&&>(other)) {
        hold();
    }
    constexpr holding_identity& operator=(holding_identity const& other) noexcept {
        deferred* const before = constant();
        tensor_identity::operator=(other);
        hold();
        if (before) before->let_go();
        return *this;
    }
    constexpr holding_identity& operator=(holding_identity&& other) noexcept {
        *this = std::as_const(other);
        if (this != &other) other.leave();
        return *this;
    }
    constexpr ~holding_identity() { let_go(); }

private:
    TRACEXPR_INLINE constexpr void hold() const {
        if (deferred* const held = constant()) ++held->holders;
    }
    TRACEXPR_INLINE constexpr void let_go() const {
        if (deferred* const held = constant()) held->let_go();
    }
};

} // namespace tx::detail
