// This file has arrays without their static types, as the functions that read and write files see the elements of tensors. It
// knows no format.
#pragma once

#include <tracexpr/base/tensor.hpp>

#include <cstring>
#include <utility>

namespace tx {

// file_element is a dtype that files hold: any except dual numbers.
template <class T> concept file_element = element<T> && dtype_of<T> <= dtype::string;

namespace detail {

// array_elements holds the row-major elements of a tensor.
struct array_elements {
    dtype type;
    dims shape;
    void const* elements;
};
template <element T, class Shape> array_elements array_of(tensor<T, Shape> const& t) {
    return {dtype_of<T>, t.dimensions(), t.data()};
}

// array_type is what a caller knows of an array before it is read.
struct array_type {
    dtype type;
    dims shape;
};
template <class Tensor>
inline constexpr array_type type_of_array{dtype_of<typename Tensor::value_type>, dims_of<typename Tensor::shape_type>};

// loaded_array holds the elements that were read of an array, in a heap block as tensors have it.
class loaded_array {
public:
    loaded_array() = default;
    // Allocates the elements. Strings are empty, others uninitialized.
    loaded_array(dtype type, dims const& shape) : shape_{shape} {
        check_extents("tensor", shape, size_in_bytes(type));
        std::size_t const bytes = static_cast<std::size_t>(shape.size()) * size_in_bytes(type);
        if (bytes > 0) elements_ = type == dtype::string ? allocate_strings(bytes) : allocate_block(bytes);
    }
    loaded_array(loaded_array&& other) noexcept : shape_{other.shape_}, elements_{std::exchange(other.elements_, nullptr)} {}
    loaded_array& operator=(loaded_array&& other) noexcept {
        std::swap(shape_, other.shape_);
        std::swap(elements_, other.elements_);
        return *this;
    }
    ~loaded_array() {
        if (elements_) drop_reference(elements_);
    }

    dims const& shape() const { return shape_; }
    void* elements() const { return elements_; }
    // Gives a tensor of the elements, whose dtype and shape must be those that its type allows. The elements are moved unless the
    // tensor has them inside.
    template <class Tensor> Tensor to_tensor() {
        using value = typename Tensor::value_type;
        if constexpr (is_inline<value, typename Tensor::shape_type>) {
            Tensor out = Tensor::uninitialized(shape_);
            if (elements_)
                std::memcpy(static_cast<void*>(out.mutable_data()), elements_,
                            sizeof(value) * static_cast<std::size_t>(out.size()));
            return out;
        } else {
            return tensor_access::from_block<Tensor>(std::exchange(elements_, nullptr), shape_);
        }
    }

private:
    dims shape_;
    void* elements_ = nullptr;
};

} // namespace detail
} // namespace tx
