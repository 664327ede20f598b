// This file reads and writes CSV files whose columns have different dtypes, as a struct of vectors whose fields have the columns'
// names.
#pragma once

#include <tracexpr/files/csv.hpp>
#include <tracexpr/run/trees/field_names.hpp>

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tx {
namespace detail {

template <class F> inline constexpr bool is_csv_column = false;
template <element T, class Shape> inline constexpr bool is_csv_column<tensor<T, Shape>> =
    file_element<T> && dims_of<Shape>.rank == 1;
template <class... Fields> struct are_csv_columns {
    static constexpr bool value = sizeof...(Fields) > 0 && (is_csv_column<Fields> && ...);
};
// Tells whether Rows is a struct of columns: vectors of dtypes that files hold.
template <class Rows> constexpr bool is_csv_table() {
    if constexpr (element<Rows> || !has_fields<Rows>()) return false;
    else
        return decltype(with_fields(std::declval<Rows&>(),
                                    []<class... F>(F&...) { return are_csv_columns<std::remove_cvref_t<F>...>{}; }))::value;
}
// csv_struct tells the overloads for structs from those of load_csv and save_csv for a single tensor.
template <class Rows> concept csv_struct = std::is_class_v<Rows> && std::is_aggregate_v<Rows> && !element<Rows>;

// csv_column is a field of a struct of columns.
struct csv_column {
    std::string_view name;
    array_type type; // The shape is what the field's type says.
};
// Reads the columns into `out`, which has room for as many.
void read_csv_columns(std::string const& path, csv_format const& format, table_view<csv_column> columns, loaded_array* out);
void write_csv_columns(std::string const& path, csv_format const& format, table_view<csv_column> columns,
                       array_elements const* arrays);

template <class... Fields> struct csv_columns {
    template <class Rows> static constexpr auto of = [] {
        std::array<csv_column, sizeof...(Fields)> out{csv_column{{}, type_of_array<Fields>}...};
        for (std::size_t k = 0; k < out.size(); ++k) out[k].name = field_names<Rows>[k];
        return out;
    }();
};
template <class Rows> void read_csv_table(std::string const& path, csv_format const& format, Rows& rows) {
    with_fields(rows, [&]<class... Fields>(Fields&... field) {
        constexpr auto const& columns = csv_columns<Fields...>::template of<Rows>;
        std::array<loaded_array, sizeof...(Fields)> read;
        read_csv_columns(path, format, {columns.data(), columns.size()}, read.data());
        loaded_array* next = read.data();
        ((field = next++->template to_tensor<Fields>()), ...);
    });
}
template <class Rows> void write_csv_table(std::string const& path, csv_format const& format, Rows const& rows) {
    with_fields(rows, [&]<class... Fields>(Fields const&... field) {
        constexpr auto const& columns = csv_columns<Fields...>::template of<Rows>;
        array_elements const each[]{array_of(field)...};
        write_csv_columns(path, format, {columns.data(), columns.size()}, each);
    });
}
template <class Rows> constexpr bool check_csv_struct() {
    constexpr bool is_table = is_csv_table<Rows>();
    static_assert(is_table, "tx: load_csv, save_csv: a struct of columns has tensors of one axis as fields, at most 16: "
                            "tx::tensor<double, tx::shape<tx::dyn>>");
    return is_table;
}

} // namespace detail

// Reads a file whose first row names its columns into a struct that has a vector for each wanted column, under the column's name:
// load_csv<rows>("prices.csv") for struct rows { tx::tensor<double, tx::shape<tx::dyn>> price; tx::tensor<std::string,
// tx::shape<tx::dyn>> name; }. The columns may stand in any order; other columns are left out. Columns that format.days or
// format.seconds name are dates, 2024-03-01 or 2024-03-01T12:30:00Z, which become whole days or seconds since 1970. Throws error
// for a column that is missing, and for a value that doesn't fit a field's dtype, with its line.
template <detail::csv_struct Rows> [[nodiscard]] Rows load_csv(std::string const& path, csv_format const& format = {}) {
    Rows rows{};
    if constexpr (detail::check_csv_struct<Rows>()) detail::read_csv_table(path, format, rows);
    return rows;
}
// Writes a struct of columns: a row of the fields' names, then the values. Throws shape_error if the vectors differ in length.
template <detail::csv_struct Rows> void save_csv(std::string const& path, Rows const& rows, csv_format const& format = {}) {
    if constexpr (detail::check_csv_struct<Rows>()) detail::write_csv_table(path, format, rows);
}

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/files/csv_table_bodies.hpp>
#endif
