// This file holds concrete tensors without their static type: as calls present them to gradient tapes, as copies that tapes keep,
// and as stand-ins for nodes of a trace that a tape watches.
#pragma once

#include <tracexpr/base/tensor.hpp>
#include <tracexpr/graph/graph.hpp>

#include <cstring>
#include <memory>

namespace tx::detail {

// A kept_value is a tensor without its static type. If there is an owner it keeps the elements alive.
struct kept_value {
    std::shared_ptr<void const> owner;
    void const* data = nullptr;
    dtype type{};
    dims shape{};
    std::uint32_t number = 0; // see tensor_identity

    std::size_t bytes() const { return static_cast<std::size_t>(shape.size()) * size_in_bytes(type); }
    // Equal numbers alone do not suffice: a call may have overwritten the elements, and numbers repeat after 2^32.
    TRACEXPR_ONCE bool is_same(kept_value const& other) const {
        return number == other.number && type == other.type && shape == other.shape &&
               (data == other.data || bytes() == 0 || std::memcmp(data, other.data, bytes()) == 0);
    }
};

// Does the tensor have the element that a write took from it? Where the write changed the dtype the elements can't be compared,
// and the number suffices.
TRACEXPR_ONCE bool has_element(kept_value const& from, element_write const& write) {
    std::int64_t const place = write.from.element;
    if (from.type != write.from.type || place >= from.shape.size()) return false;
    std::size_t const size = size_in_bytes(from.type);
    auto const* const element = static_cast<std::byte const*>(from.data) + static_cast<std::size_t>(place) * size;
    return from.type != write.before.type || std::memcmp(element, write.operand, size) == 0;
}

// Copies a value that may change or end; elements in a counted block on the heap are shared with the copy.
template <class Unused = void> kept_value kept(seen_value const& value) {
    kept_value out{{}, value.data, value.type, value.shape, value.number()};
    if (value.place == seen_value::lasting) return out;
    void const* block = value.block();
    if (value.place == seen_value::in_block) {
        add_reference(block);
    } else {
        void* const copy = allocate_block(out.bytes());
        if (out.bytes() > 0) std::memcpy(copy, value.data, out.bytes());
        block = out.data = copy;
    }
    out.owner = std::shared_ptr<void const>(block, [](void const* counted) { drop_reference(const_cast<void*>(counted)); });
    return out;
}
TRACEXPR_INSTANCE(kept_value kept<void>(seen_value const&))
template <class T, class Shape> kept_value kept(tensor<T, Shape> const& value) { return kept(seen(value)); }

// watched_values has the concrete tensors that stand for nodes of a trace, because a tape inside the traced callable watches
// them.
class watched_values {
public:
    TRACEXPR_ONCE node_id find(seen_value const& value) const {
        std::uint32_t const number = value.number();
        for (auto const& known : known_)
            if (number && known.value.number == number && known.value.is_same(kept(value))) return known.id;
        return node_id::none;
    }
    // Finds the tensor that a written element was read from.
    TRACEXPR_ONCE node_id find_source(element_write const& write) const {
        for (auto const& known : known_)
            if (write.from.is_known() && known.value.number == write.from.number && has_element(known.value, write))
                return known.id;
        return node_id::none;
    }
    void add(kept_value const& value, node_id id) { known_.push_back({value, id}); }

private:
    struct entry {
        kept_value value;
        node_id id = node_id::none;
    };
    buffer<entry> known_;
};

} // namespace tx::detail
