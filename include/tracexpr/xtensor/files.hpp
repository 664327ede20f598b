// Tensors from and to NumPy's .npy and .npz files and CSV, written by xtensor, and all but CSV read by it.
#pragma once

#include <tracexpr/xtensor/convert.hpp>
#include <tracexpr/xtensor/csv.hpp>

#include <fstream>
#include <limits>
#include <string>

namespace tx {

// A dtype that .npy files hold and xtensor reads.
template <class T> concept npy_element = element<T> && (std::is_arithmetic_v<T> || is_complex(dtype_of<T>));
// A dtype that text holds.
template <class T> concept csv_element = element<T> && std::is_arithmetic_v<T> && (sizeof(T) > 1);

struct csv_format {
    char delimiter = ',';
    std::size_t skip_rows = 0;
};

namespace detail {

[[noreturn]] inline void throw_file(std::string const& what, std::string const& path, std::string const& problem) {
    throw error("tx: " + what + ": " + path + ": " + problem);
}
inline std::ifstream open_to_read(char const* what, std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw_file(what, path, "can't be opened to read");
    return file;
}
inline std::ofstream open_to_write(char const* what, std::string const& path) {
    std::ofstream file(path, std::ios::binary);
    if (!file) throw_file(what, path, "can't be opened to write");
    return file;
}
inline void finish_writing(char const* what, std::string const& path, std::ofstream& file) {
    if (!file.flush()) throw_file(what, path, "could not be written");
}

// NumPy's code of the dtype that starts at `at`, such as "<f8"; empty where there is none.
inline std::string npy_dtype_at(std::istream& file, std::streampos at) {
    file.clear();
    file.seekg(at);
    std::string head(256, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    std::size_t const key = head.find("'descr'"), open = head.find('\'', key == std::string::npos ? key : key + 7);
    std::size_t const close = open == std::string::npos ? open : head.find('\'', open + 1);
    return close == std::string::npos ? std::string() : head.substr(open + 1, close - open - 1);
}

// One array from where the stream stands.
template <npy_element T, class Shape> tensor<T, Shape> read_npy(char const* what, std::string const& path, std::istream& file) {
    std::streampos const start = file.tellg();
    try {
        auto const stored = xt::load_npy<T>(file);
        if (!file) throw_file(what, path, "ends before its last element");
        return tensor_of_expression<Shape>(stored);
    } catch (shape_error const& e) {
        throw shape_error("tx: " + std::string(what) + ": " + path + ": " + e.what());
    } catch (error const&) {
        throw;
    } catch (std::exception const& e) {
        std::string const found = npy_dtype_at(file, start), wanted = xt::detail::build_typestring<T>();
        if (!found.empty() && found != wanted)
            throw type_error("tx: " + std::string(what) + ": " + path + ": holds dtype " + found + "; asked for " +
                             std::string(name(dtype_of<T>)) + " (" + wanted + "): load it as what it is, then tx::cast");
        throw_file(what, path, e.what());
    }
}

} // namespace detail

// load_npy<float>(path), or with a shape that the file must have: load_npy<float, shape<dyn, 64>>(path). Throws type_error for
// another dtype, shape_error for another shape, error for a file that isn't one.
template <npy_element T, shape_type Shape = any_shape> tensor<T, Shape> load_npy(std::string const& path) {
    std::ifstream file = detail::open_to_read("load_npy", path);
    return detail::read_npy<T, Shape>("load_npy", path, file);
}
template <npy_element T, class Shape> void save_npy(std::string const& path, tensor<T, Shape> const& t) {
    std::ofstream file = detail::open_to_write("save_npy", path);
    file << xt::dump_npy(detail::view_of<any_shape>(t.data(), t.dimensions()));
    detail::finish_writing("save_npy", path, file);
}

// Numbers in rows of equal length. Empty lines and those that start with # are skipped. Throws error for what is no number of dtype T.
template <csv_element T, shape_type Shape = shape<dyn, dyn>>
tensor<T, Shape> load_csv(std::string const& path, csv_format format = {}) {
    std::ifstream file = detail::open_to_read("load_csv", path);
    detail::csv_rows<T> const read = detail::read_csv<T>(file, format.delimiter, format.skip_rows);
    if (!read.problem.empty()) detail::throw_file("load_csv", path, read.problem);
    dims const shape{{static_cast<std::int64_t>(read.rows), static_cast<std::int64_t>(read.columns)}, 2};
    if (!may_equal(dims_of<Shape>, shape))
        throw shape_error("tx: load_csv: " + path + ": the type says shape " + to_string(dims_of<Shape>) + "; the file has " + to_string(shape));
    return tensor<T, Shape>(from_data<tx::shape<dyn, dyn>>(read.numbers.data(), shape[0], shape[1]));
}
// A matrix, with as many digits as give the same values back.
template <csv_element T, class Shape> requires(dims_of<Shape>.rank == 2)
void save_csv(std::string const& path, tensor<T, Shape> const& t) {
    std::ofstream file = detail::open_to_write("save_csv", path);
    file.precision(std::numeric_limits<T>::max_digits10);
    xt::dump_csv(file, detail::view_of<shape<dyn, dyn>>(t.data(), t.dimensions()));
    detail::finish_writing("save_csv", path, file);
}

} // namespace tx
