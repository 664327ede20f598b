// This file reads and writes NumPy's .npy files as tensors.
#pragma once

#include <tracexpr/files/any_tensor.hpp>
#include <tracexpr/files/npy_header.hpp>
#include <tracexpr/files/part.hpp>

namespace tx {

// npy_format tells how save_npy writes: with axes in NumPy's order "C" or "F", and bytes in this machine's order or the other.
struct npy_format {
    bool fortran_order = false;
    std::endian order = std::endian::native;
};

namespace detail {

inline array_layout npy_layout_of(file_call const& call, array_elements const& array, npy_format const& format) {
    array_layout out;
    out.type = array.type;
    out.foreign_order = format.order != std::endian::native;
    out.column_major = format.fortran_order;
    out.element_bytes = size_in_bytes(array.type);
    std::string code = npy_code(array.type);
    if (array.type == dtype::string) {
        std::size_t const width = utf32_width(call, array);
        out.text = text_encoding::utf32;
        out.element_bytes = 4 * width;
        code += std::to_string(width);
    }
    out.code = (size_in_bytes(array.type) == 1 ? '|' : npy_order(out.foreign_order)) + code;
    return out;
}
template <class Sink> void write_npy(Sink& to, array_elements const& array, array_layout const& layout) {
    std::string const header = npy_header_of(layout, array.shape);
    to.write(header.data(), header.size());
    write_elements(to, array, layout);
}
// Gives the result of read(call, bytes, layout) for the file's array.
template <class F> auto with_npy(file_call const& call, F const& read) {
    std::ifstream file = open_to_read(call);
    byte_source in(file);
    array_layout const layout = read_npy_header(call, in);
    return read(call, in, layout);
}
inline void save_npy(std::string const& path, array_elements const& array, npy_format const& format) {
    file_call const call{"save_npy", path};
    array_layout const layout = npy_layout_of(call, array, format);
    file_writer file(call);
    write_npy(file, array, layout);
    file.finish();
}

} // namespace detail

// Reads an array: load_npy<float>(path), or with a shape that the file must have, load_npy<float, shape<dyn, 64>>(path). It reads
// numbers in either order of bytes and of axes, texts ("<U5" and "|S5") as strings in UTF-8, and bfloat16 as the package
// ml_dtypes stores it ("<V2"). What follows the array is not read, as in NumPy. Throws type_error for another dtype, shape_error
// for another shape, error for a file that is no .npy file, and bad_alloc if there is not enough memory.
template <element T, shape_type Shape = any_shape> [[nodiscard]] tensor<T, Shape> load_npy(std::string const& path) {
    static_assert(file_element<T>, "tx: load_npy: files hold no dual numbers; load their values and tangents");
    return detail::with_npy({"load_npy", path}, [](auto const& call, auto& in, auto const& layout) {
        return detail::read_tensor<T, Shape>(call, in, layout);
    });
}
// Reads a part of the array's rows and nothing else: load_npy<float>(path, part_of{rank, ranks}). The shape is that of the part.
// Throws shape_error for a single number, and error, whichever part is asked for, if the file is too short for all of them.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_npy(std::string const& path, part_of part) {
    static_assert(file_element<T>, "tx: load_npy: files hold no dual numbers; load their values and tangents");
    detail::file_call const file{"load_npy", path};
    detail::check_part(file, part);
    return detail::with_npy(file, [&](auto const& call, auto& in, auto const& layout) {
        return detail::read_part<T, Shape>(call, in, layout, part);
    });
}
// Reads an array with the dtype that the file has.
[[nodiscard]] inline any_tensor load_npy(std::string const& path) {
    return detail::with_npy({"load_npy", path}, [](auto const& call, auto& in, auto const& layout) {
        return detail::read_any_tensor(call, in, layout);
    });
}

// Writes an array. Strings are stored as Unicode of the width of the longest; throws error for a string that is no UTF-8 or ends
// in a zero.
template <element T, class Shape> void save_npy(std::string const& path, tensor<T, Shape> const& t, npy_format format = {}) {
    static_assert(file_element<T>, "tx: save_npy: files hold no dual numbers; save their values and tangents");
    detail::save_npy(path, detail::array_of(t), format);
}
inline void save_npy(std::string const& path, any_tensor const& t, npy_format format = {}) {
    detail::save_npy(path, detail::array_of(t), format);
}

} // namespace tx
