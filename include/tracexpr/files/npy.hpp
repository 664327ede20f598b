// This file reads and writes NumPy's .npy files as tensors.
#pragma once

#include <tracexpr/files/any_tensor.hpp>
#include <tracexpr/files/part.hpp>

#include <bit>
#include <string>
#include <type_traits>

namespace tx {

// npy_format tells how save_npy writes: with axes in NumPy's order "C" or "F", and bytes in this machine's order or the other.
struct npy_format {
    bool fortran_order = false;
    std::endian order = std::endian::native;
};

namespace detail {
loaded_array read_npy(std::string const& path, array_type const& wanted);
loaded_array read_npy(std::string const& path, array_type const& wanted, tx::part_of const& part);
void write_npy(std::string const& path, array_elements const& array, npy_format const& format);
void write_any_npy(std::string const& path, any_tensor const& t, npy_format const& format);
} // namespace detail

// Reads an array: load_npy<float>(path), or with a shape that the file must have, load_npy<float, shape<dyn, 64>>(path). It reads
// numbers in either order of bytes and of axes, texts ("<U5" and "|S5") as strings in UTF-8, and bfloat16 as the package
// ml_dtypes stores it ("<V2"). What follows the array is not read, as in NumPy. Throws type_error for another dtype, shape_error
// for another shape, error for a file that is no .npy file, and bad_alloc if there is not enough memory.
template <element T, shape_type Shape = any_shape> [[nodiscard]] tensor<T, Shape> load_npy(std::string const& path) {
    static_assert(file_element<T>, "tx: load_npy: files hold no dual numbers; load their values and tangents");
    using wanted = tensor<T, Shape>;
    return detail::read_npy(path, detail::type_of_array<wanted>).template to_tensor<wanted>();
}
// Reads a part of the array's rows and nothing else: load_npy<float>(path, part_of{rank, ranks}). The shape is that of the part.
// Throws shape_error for a single number, and error, whichever part is asked for, if the file is too short for all of them.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_npy(std::string const& path, part_of part) {
    static_assert(file_element<T>, "tx: load_npy: files hold no dual numbers; load their values and tangents");
    using wanted = tensor<T, Shape>;
    return detail::read_npy(path, detail::type_of_array<wanted>, part).template to_tensor<wanted>();
}
// Reads an array with the dtype that the file has.
[[nodiscard]] any_tensor load_npy(std::string const& path);

// Writes an array. Strings are stored as Unicode of the width of the longest; throws error for a string that is no UTF-8 or ends
// in a zero.
template <element T, class Shape> void save_npy(std::string const& path, tensor<T, Shape> const& t, npy_format format = {}) {
    static_assert(file_element<T>, "tx: save_npy: files hold no dual numbers; save their values and tangents");
    detail::write_npy(path, detail::array_of(t), format);
}
// (It is a template so that the compiler doesn't ask of tensors whether they convert to any_tensor, which takes it long.)
template <class A = any_tensor> requires(!tensor_type<A> && std::is_convertible_v<A const&, any_tensor>)
void save_npy(std::string const& path, A const& t, npy_format format = {}) {
    detail::write_any_npy(path, t, format);
}

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/files/npy_bodies.hpp>
#endif
