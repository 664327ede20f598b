// This file makes tensors of elements in this process's memory that somebody else keeps and lends to them, such as another
// library's array. Such a tensor reads the elements where they are and copies them before it is written to, so nobody writes to
// them through it. Copies share the elements; when the last one is gone, the lender is told.
#pragma once

#include <tracexpr/base/tensor.hpp>

#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace tx {

// This tells when elements that another library keeps, or is given, are copied: only if needed, always, or never; with never, an
// exception says why a copy would be needed.
enum class copy { if_needed, always, never };

namespace detail {

[[noreturn]] inline void throw_not_shared(char const* op, std::string const& why) {
    throw error("tx: " + std::string(op) + ": tx::copy::never: the elements can't be shared: " + why);
}

inline std::string name_of_cpu(remote_elements const&) { return "cpu"; }
inline void const* read_here(remote_elements& lent) { return lent.address; }

// The lender's destructor gives the elements back.
template <class Lender> struct lent_elements : remote_elements {
    static_assert(std::is_nothrow_move_constructible_v<Lender> && alignof(Lender) <= block_alignment);

    lent_elements(void const* at, Lender&& by) noexcept : lender{std::move(by)} {
        address = const_cast<void*>(at);
        read = read_here;
        device = name_of_cpu;
        is_here = true;
    }
    Lender lender;
};

// Gives a tensor of elements that lie at `address` in row-major order. If it throws, `lender` still has what it had.
template <class Tensor, class Lender> Tensor lent_tensor(void const* address, dims const& extents, Lender& lender) {
    static_assert(!is_inline<typename Tensor::value_type, typename Tensor::shape_type>,
                  "such tensors hold their elements themselves");
    using elements = lent_elements<Lender>;
    void* const place = allocate_block(sizeof(elements));
    auto* const made = ::new (place) elements(address, std::move(lender));
    header_of(place)->let_go = [](void* all) noexcept { static_cast<elements*>(all)->~lent_elements(); };
    return tensor_access::from_remote<Tensor>(made, extents);
}

} // namespace detail
} // namespace tx
