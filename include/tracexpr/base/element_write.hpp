// This file is how a tensor that gradient tapes know tells them that elements of it are written. It knows nothing of tapes: the
// first tape registers whom to tell. Until then no tensor has a number for tapes, and a write only checks that.
#pragma once

#include <tracexpr/base/dtype.hpp>
#include <tracexpr/base/identity.hpp>
#include <tracexpr/base/shape.hpp>

namespace tx::detail {

// A seen_value refers to a tensor or scalar. One function copies it for all types, because every call can be recorded while few
// programs record any.
struct seen_value {
    tensor_identity const* identity = nullptr; // null for a value that has none
    void const* data = nullptr;
    dtype type{};
    dims shape{};
    enum : char {
        elsewhere,
        in_block,
        lasting
    } place = elsewhere; // in_block: in a reference-counted heap block; lasting: never written, never freed

    std::uint32_t number() const { return identity ? identity->number() : 0; }
    // Gives the block that counts the references to the elements, where they are in_block. Elements that are lent don't lie in
    // the block that counts theirs.
    void const* block() const {
        remote_elements const* const lent = identity ? identity->remote() : nullptr;
        return lent && lent->is_here ? static_cast<void const*>(lent) : data;
    }
};

// This tells what a write does to an element: it gives it another value, or changes the old one by another number. `anything`
// stands for a program that has the address of all elements.
enum class element_change : char { assigned, added, subtracted, multiplied, divided, anything };

// element_source is the element of a tensor that a value was read from; the number is the one by which tapes knew the tensor when
// it was read. The tensor itself may be gone, as a function can return what it read.
struct element_source {
    std::uint32_t number = 0; // 0 where no tape knew it
    std::int64_t element = 0;
    dtype type{};

    constexpr bool is_known() const { return number != 0; }
};

// This describes a write that is about to happen.
struct element_write {
    element_change change = element_change::anything;
    std::int64_t element = 0;
    void const* operand = nullptr; // It has the tensor's dtype: the value assigned, the number added, ...
    void const* after = nullptr;   // the element afterwards
    element_source from{};         // where the operand was read from
    seen_value before{};           // the tensor
};

// The listener tells the tapes of this thread of a write and gives the number by which they know the tensor afterwards, or 0 if
// none does.
using element_write_listener = std::uint32_t (*)(element_write const&);
inline constinit std::atomic<element_write_listener> hears_of_element_writes{nullptr};

inline std::uint32_t number_after(element_write const& write) {
    element_write_listener const listener = hears_of_element_writes.load(std::memory_order_acquire);
    return listener ? listener(write) : 0;
}

} // namespace tx::detail
