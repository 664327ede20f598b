// This file reads and writes .safetensors files as tensors; Hugging Face's libraries store weights in them.
#pragma once

#include <tracexpr/files/any_tensor.hpp>
#include <tracexpr/files/part.hpp>

#include <initializer_list>
#include <map>
#include <string>

namespace tx {

// safetensors_element is a dtype that .safetensors files hold.
template <class T> concept safetensors_element =
    file_element<T> && dtype_of<T> != dtype::complex128 && dtype_of<T> != dtype::string;

namespace detail {
loaded_array read_safetensors(std::string const& path, std::string const& name, array_type const& wanted);
loaded_array read_safetensors(std::string const& path, std::string const& name, array_type const& wanted,
                              tx::part_of const& part);
} // namespace detail

// Reads an array: load_safetensors<float>(path, "weights"), or with a shape that it must have, load_safetensors<float, shape<dyn,
// 64>>(path, name). Throws type_error for another dtype, shape_error for another shape, and error for a file that the format does
// not allow: all of its header is checked first, as the reference implementation does.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_safetensors(std::string const& path, std::string const& name) {
    static_assert(safetensors_element<T>, "tx: load_safetensors: the format has no complex128, strings or dual numbers");
    using wanted = tensor<T, Shape>;
    return detail::read_safetensors(path, name, detail::type_of_array<wanted>).template to_tensor<wanted>();
}
// Reads a part of an array's rows and nothing else: load_safetensors<float>(path, "weights", part_of{rank, ranks}). The shape is
// that of the part. Throws shape_error for a single number.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_safetensors(std::string const& path, std::string const& name, part_of part) {
    static_assert(safetensors_element<T>, "tx: load_safetensors: the format has no complex128, strings or dual numbers");
    using wanted = tensor<T, Shape>;
    return detail::read_safetensors(path, name, detail::type_of_array<wanted>, part).template to_tensor<wanted>();
}
// Reads all arrays of a file, by name. Throws type_error for an array with a dtype that tensors don't have, such as F8_E4M3.
[[nodiscard]] named_tensors load_safetensors(std::string const& path);
// Gives what the file says under "__metadata__".
[[nodiscard]] std::map<std::string, std::string> load_safetensors_metadata(std::string const& path);

// Writes arrays: save_safetensors(path, {{"weights", w}, {"bias", b}}, {{"format", "pt"}}). The bytes are those that the
// reference implementation writes (metadata in the order of its keys). Throws type_error for complex128 and strings, which the
// format has not, and error for a name that is given twice.
void save_safetensors(std::string const& path, std::initializer_list<named_tensors::value_type> tensors,
                      std::map<std::string, std::string> const& metadata = {});
// Writes the arrays of a map.
void save_safetensors(std::string const& path, named_tensors const& tensors,
                      std::map<std::string, std::string> const& metadata = {});

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/files/safetensors_bodies.hpp>
#endif
