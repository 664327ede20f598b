// How a tensor that gradient tapes know tells them that elements of it are written. Knows nothing of tapes: the first one says
// whom to tell. Until then no tensor has a number, and a write asks for nothing more than that.
#pragma once

#include <tracexpr/base/dtype.hpp>
#include <tracexpr/base/identity.hpp>
#include <tracexpr/base/shape.hpp>

namespace tx::detail {

// Refers to a tensor or scalar. What copies it is one function for all types: every call can be recorded, and few programs do it.
struct seen_value {
    tensor_identity const* identity = nullptr; // null for what has none
    void const* data = nullptr;
    dtype type{};
    dims shape{};
    enum : char {
        elsewhere,
        in_block,
        lasting
    } place = elsewhere; // in a counted block of the heap; or never written, never freed

    std::uint32_t number() const { return identity ? identity->number() : 0; }
    // What counts the references to the elements, where they are in_block: elements that are lent lie outside of theirs.
    void const* block() const {
        remote_elements const* const lent = identity ? identity->remote() : nullptr;
        return lent && lent->is_here ? static_cast<void const*>(lent) : data;
    }
};

// What becomes of an element: another value, or the old one changed by another number; `anything`: the program has the address of
// all elements.
enum class element_change : char { assigned, added, subtracted, multiplied, divided, anything };

// The element of a tensor that a value was read from, by the number that tapes knew the tensor by then. The tensor itself may be
// gone: a function can return what it read.
struct element_source {
    std::uint32_t number = 0; // 0 where no tape knew it
    std::int64_t element = 0;
    dtype type{};

    constexpr bool is_known() const { return number != 0; }
};

// A write that is about to happen.
struct element_write {
    element_change change = element_change::anything;
    std::int64_t element = 0;
    void const* operand = nullptr; // of the tensor's dtype: the value assigned, the number added, ...
    void const* after = nullptr;   // the element afterwards
    element_source from{};         // what the operand was read from
    seen_value before{};           // the tensor
};

// Tells the tapes of this thread, and says by which number they know the tensor afterwards; 0: none does.
using element_write_listener = std::uint32_t (*)(element_write const&);
inline constinit std::atomic<element_write_listener> hears_of_element_writes{nullptr};

inline std::uint32_t number_after(element_write const& write) {
    element_write_listener const listener = hears_of_element_writes.load(std::memory_order_acquire);
    return listener ? listener(write) : 0;
}

} // namespace tx::detail
