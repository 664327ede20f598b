// This file reads and writes CSV files as tensors: numbers of every dtype, and strings.
#pragma once

#include <tracexpr/files/array.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace tx {

// csv_format tells how load_csv and save_csv read and write.
struct csv_format {
    char delimiter = ',';               // ' ' stands for any number of spaces and tabs
    std::size_t skip_rows = 0;          // load: this many lines are skipped first
    std::string header{};               // save: the first line; load: the line that must come first, after skip_rows
    char comment = '#';                 // load: the rest of a line after this is ignored; '\0': there are no comments
    std::vector<int> columns{};         // load: these columns, in this order, negative ones from the last on; empty: all
    std::vector<std::string> missing{}; // load, floating and complex dtypes: texts that are read as NaN, such as "" or "NA"
    std::vector<std::string> days{};    // structs: these int64 fields are dates: days since 1970-01-01
    std::vector<std::string> seconds{}; // structs: these int64 fields are dates with a time of day in UTC: seconds since 1970
};

namespace detail {

loaded_array read_csv(std::string const& path, array_type const& wanted, csv_format const& format);
void write_csv(std::string const& path, array_elements const& array, csv_format const& format);

inline constexpr bool is_csv_rank(int rank) { return rank < 0 || rank == 1 || rank == 2; }

} // namespace detail

// Reads a matrix of the rows of a file, which must be of equal length; load_csv<float, shape<dyn>>(path) reads a vector from its
// one column, or one row. Values are read exactly as NumPy's loadtxt and Python read them: bool as 0, 1, True or False; complex
// numbers as (1+2j); floating ones with nan and inf. Fields may be in quotes (RFC 4180). Empty lines are skipped. Throws error
// for a field that is no number of dtype T, with its line, and shape_error for another shape.
template <element T, shape_type Shape = shape<dyn, dyn>>
[[nodiscard]] tensor<T, Shape> load_csv(std::string const& path, csv_format const& format = {}) {
    static_assert(file_element<T>, "tx: load_csv: files hold no dual numbers; load their values and tangents");
    static_assert(detail::is_csv_rank(dims_of<Shape>.rank), "tx: load_csv: a file of rows is a matrix or a vector; ask for one");
    using wanted = tensor<T, Shape>;
    return detail::read_csv(path, detail::type_of_array<wanted>, format).template to_tensor<wanted>();
}
template <class Unused = void> requires std::is_void_v<Unused>
detail::failed load_csv(std::string const&, csv_format const& = {}) {
    static_assert(always_false<Unused>,
                  "tx: load_csv: needs in <> the dtype of all columns, or a struct that has a vector for each "
                  "column: tx::load_csv<double>(path)");
    return {};
}
// Writes a matrix, or a vector as one column: numbers with as few digits as give the same values back, bool as 0 and 1, complex
// numbers as (1+2j), strings in quotes where they need them. Of the format it uses the delimiter and the header. Throws
// shape_error for another rank.
template <element T, class Shape>
void save_csv(std::string const& path, tensor<T, Shape> const& t, csv_format const& format = {}) {
    static_assert(file_element<T>, "tx: save_csv: files hold no dual numbers; save their values and tangents");
    static_assert(detail::is_csv_rank(dims_of<Shape>.rank),
                  "tx: save_csv: a file of rows is a matrix or a vector; tx::reshape to one");
    detail::write_csv(path, detail::array_of(t), format);
}

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/files/csv_bodies.hpp>
#endif
