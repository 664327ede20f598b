// Tensors from and to NumPy's .npy and .npz files and CSV.
#pragma once

#include <tracexpr/xtensor/convert.hpp>
#include <tracexpr/xtensor/csv.hpp>
#include <tracexpr/xtensor/npy_header.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <locale>
#include <string>

namespace tx {

// A dtype that text holds.
template <class T> concept csv_element = element<T> && std::is_arithmetic_v<T> && (sizeof(T) > 1);

struct csv_format {
    char delimiter = ',';
    std::size_t skip_rows = 0;
};

namespace detail {

inline std::ifstream open_to_read(file_call const& call) {
    std::ifstream file(call.path, std::ios::binary);
    if (!file) call.fail("can't be opened to read");
    return file;
}
inline std::ofstream open_to_write(file_call const& call) {
    std::ofstream file(call.path, std::ios::binary);
    if (!file) call.fail("can't be opened to write");
    return file;
}
inline void finish_writing(file_call const& call, std::ofstream& file) {
    if (!file.flush()) call.fail("could not be written");
}

// Is an array of a header what the call asks for?
inline void check_npy(file_call const& call, npy_header const& header, dtype wanted, dims const& shape) {
    std::string_view const code = without_order(header.dtype_code);
    if (code != npy_code(wanted)) {
        bool known = false;
        for (std::size_t type = 0; type < dtype_count; ++type)
            known = known || (!code.empty() && code == npy_code(static_cast<dtype>(type)));
        throw type_error(call.says("holds dtype " + header.dtype_code +
                                   (known ? "; asked for " + std::string(name(wanted)) + " (" + native_npy_code(wanted) +
                                                "): load it as what it is, then tx::cast"
                                          : ", which tensors don't have")));
    }
    if (!may_equal(shape, header.shape))
        throw shape_error(call.says("the type says shape " + to_string(shape) + "; the file has " + to_string(header.shape)));
}

// Elements in column-major order to row-major.
template <class T> void turn_order(T const* from, dims const& shape, T* to) {
    std::int64_t strides[max_rank]{}, at[max_rank]{}, place = 0;
    for (int axis = 0; axis < shape.rank; ++axis) strides[axis] = axis == 0 ? 1 : strides[axis - 1] * shape[axis - 1];
    for (std::int64_t i = 0, count = shape.size(); i < count; ++i) {
        to[i] = from[place];
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            place += strides[axis];
            if (++at[axis] < shape[axis]) break;
            place -= strides[axis] * shape[axis], at[axis] = 0;
        }
    }
}
// As they lie in the file to as they lie in memory.
template <class T> void make_native(T* elements, std::int64_t count, bool foreign_order) {
    auto* const bytes = reinterpret_cast<unsigned char*>(elements);
    if constexpr (std::is_same_v<T, bool>) {
        for (std::int64_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0; // no other byte is a bool
    } else {
        constexpr std::size_t number = size_in_bytes(real_part(dtype_of<T>));
        if (!foreign_order || number == 1) return;
        unsigned char* const end = bytes + static_cast<std::size_t>(count) * sizeof(T);
        for (unsigned char* at = bytes; at != end; at += number) std::reverse(at, at + number);
    }
}

// One array. What the file doesn't hold is not allocated for.
template <npy_element T, class Shape> tensor<T, Shape> read_npy(file_call const& call, byte_source& in) {
    npy_header const header = read_npy_header(call, in);
    check_npy(call, header, dtype_of<T>, dims_of<Shape>);
    std::uint64_t const bytes = bytes_of_elements(call, header.shape, sizeof(T));
    if (bytes > in.left()) call.fail("ends before its last element");
    auto out = tensor<T, Shape>::uninitialized(header.shape);
    if (bytes == 0) return out;
    if (!in.read(reinterpret_cast<char*>(out.mutable_data()), bytes)) call.fail("ends before its last element");
    make_native(out.mutable_data(), out.size(), has_foreign_order(header.dtype_code));
    if (!header.column_major || header.shape.rank < 2) return out;
    auto turned = tensor<T, Shape>::uninitialized(header.shape);
    turn_order(out.data(), header.shape, turned.mutable_data());
    return turned;
}

} // namespace detail

// load_npy<float>(path), or with a shape that the file must have: load_npy<float, shape<dyn, 64>>(path). Throws type_error for
// another dtype, shape_error for another shape, error for a file that isn't one, bad_alloc where memory is short. Numbers of
// either order of bytes are read; what follows the array is not, as in NumPy.
template <npy_element T, shape_type Shape = any_shape> tensor<T, Shape> load_npy(std::string const& path) {
    detail::file_call const call{"load_npy", path};
    std::ifstream file = detail::open_to_read(call);
    detail::byte_source in(file);
    return detail::read_npy<T, Shape>(call, in);
}
template <npy_element T, class Shape> void save_npy(std::string const& path, tensor<T, Shape> const& t) {
    detail::file_call const call{"save_npy", path};
    auto const* const elements = reinterpret_cast<char const*>(t.data());
    std::string const header = detail::npy_header_of(dtype_of<T>, t.dimensions());
    std::ofstream file = detail::open_to_write(call);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(elements, static_cast<std::streamsize>(t.size()) * static_cast<std::streamsize>(sizeof(T)));
    detail::finish_writing(call, file);
}

// Numbers in rows of equal length. Empty lines and those that start with # are skipped. Throws error for what is no number of
// dtype T.
template <csv_element T, shape_type Shape = shape<dyn, dyn>>
tensor<T, Shape> load_csv(std::string const& path, csv_format format = {}) {
    detail::file_call const call{"load_csv", path};
    std::ifstream file = detail::open_to_read(call);
    detail::csv_rows<T> const read = detail::read_csv<T>(file, format.delimiter, format.skip_rows);
    if (!read.problem.empty()) call.fail(read.problem);
    dims const shape{{static_cast<std::int64_t>(read.rows), static_cast<std::int64_t>(read.columns)}, 2};
    if (!may_equal(dims_of<Shape>, shape))
        throw shape_error(call.says("the type says shape " + to_string(dims_of<Shape>) + "; the file has " + to_string(shape)));
    return tensor<T, Shape>(from_data<tx::shape<dyn, dyn>>(read.numbers.data(), shape[0], shape[1]));
}
// A matrix, with as many digits as give the same values back.
template <csv_element T, class Shape> requires(dims_of<Shape>.rank == 2)
void save_csv(std::string const& path, tensor<T, Shape> const& t) {
    detail::file_call const call{"save_csv", path};
    auto const elements = detail::view_of<shape<dyn, dyn>>(t.data(), t.dimensions());
    std::ofstream file = detail::open_to_write(call);
    file.imbue(std::locale::classic());
    file.precision(std::numeric_limits<T>::max_digits10);
    xt::dump_csv(file, elements);
    detail::finish_writing(call, file);
}

} // namespace tx
