// A copy of a concrete tensor whose type is forgotten: what gradient tapes keep of the values they have seen.
#pragma once

#include <tracexpr/base/tensor.hpp>

#include <cstring>
#include <memory>

namespace tx::detail {

struct kept_value {
    std::shared_ptr<void const> owner;
    void const* data = nullptr;
    dtype type{};
    dims shape{};
    std::uint32_t number = 0; // see tensor_identity

    std::size_t bytes() const { return static_cast<std::size_t>(shape.size()) * size_in_bytes(type); }
    // Equal numbers alone don't tell: a call may have overwritten the elements, and after 2^32 numbers they are used anew.
    bool is_same(kept_value const& other) const {
        return number == other.number && type == other.type && shape == other.shape &&
               (data == other.data || bytes() == 0 || std::memcmp(data, other.data, bytes()) == 0);
    }
};

// Elements on the heap are shared with the copy.
template <class T, class Shape> kept_value kept(tensor<T, Shape> const& value) {
    auto copy = std::make_shared<tensor<T, Shape> const>(value);
    void const* const data = copy->data();
    return {std::move(copy), data, dtype_of<T>, value.dimensions(), tensor_access::identity(value).number()};
}
template <class Tensor> kept_value keep_tensor(void const* value) { return kept(*static_cast<Tensor const*>(value)); }

} // namespace tx::detail
