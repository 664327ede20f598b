// This file reads and writes CSV files whose columns have different dtypes, as a struct of vectors whose fields have the columns'
// names.
#pragma once

#include <tracexpr/files/csv.hpp>
#include <tracexpr/files/dates.hpp>
#include <tracexpr/run/trees/field_names.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
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

enum class csv_time { none, days, seconds }; // whether a column holds dates, and in which unit
inline csv_time time_of_column(csv_format const& format, std::string_view name) {
    auto const holds = [&](std::vector<std::string> const& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    return holds(format.days) ? csv_time::days : holds(format.seconds) ? csv_time::seconds : csv_time::none;
}
inline void check_csv_table_format(file_call const& call, csv_format const& format, std::string_view const* names,
                                   std::size_t count) {
    check_csv_format(call, format);
    if (!format.header.empty() || !format.columns.empty())
        call.fail("a struct's fields name the columns: give no header and no columns");
    for (std::vector<std::string> const* const list : {&format.days, &format.seconds})
        for (std::string const& name : *list)
            if (std::find(names, names + count, name) == names + count)
                call.fail("there is no field " + quoted_piece(name) + ", which is to hold dates");
}

// csv_column reads or writes one column.
template <class Column> struct csv_column {
    using value_type = typename Column::value_type;
    std::string_view name;
    csv_time time = csv_time::none;
    std::size_t place = 0; // which field of a row of the file it is
    buffer<stored<value_type>> values{};

    csv_column(file_call const& call, csv_format const& format, std::string_view field)
        : name{field}, time{time_of_column(format, field)} {
        if (time != csv_time::none && !std::is_same_v<value_type, std::int64_t>)
            throw type_error(call.says("dates are int64; the field " + std::string(name) + " has dtype " +
                                       std::string(tx::name(dtype_of<value_type>))));
    }
    // Finds the column in the file's first row.
    void find(file_call const& call, csv_rows const& header) {
        for (place = 0; place < header.size(); ++place)
            if (without_space(header[place].text) == name) return;
        call.fail("has no column " + quoted_piece(std::string(name)) + " in its header, line " + std::to_string(header.line()) +
                  "; load a file without one as a matrix, tx::load_csv<double>(path)");
    }
    // Reads the column's field of a row and appends it to `values`.
    void take(file_call const& call, csv_format const& format, csv_rows const& row) {
        if constexpr (std::is_same_v<value_type, std::int64_t>)
            if (time != csv_time::none) return take_time_of(call, row);
        append_field<value_type>(call, format, row, place, [&] { return quoted_piece(std::string(name)); }, values);
    }
    void take_time_of(file_call const& call, csv_rows const& row) {
        std::string_view const text = without_space(row[place].text);
        std::int64_t value = 0;
        if (!(time == csv_time::days ? parse_days(text, value) : parse_seconds(text, value)))
            call.fail("holds something that is no date in the column " + quoted_piece(std::string(name)) + ": " +
                      quoted_piece(std::string(text)) + " in line " + std::to_string(row.line()));
        if constexpr (std::is_same_v<value_type, std::int64_t>) values.push_back(value);
    }
    Column tensor_of(file_call const& call) const {
        dims const shape{{static_cast<std::int64_t>(values.size())}, 1};
        if (!may_equal(dims_of<typename Column::shape_type>, shape))
            throw shape_error(call.says("the field " + std::string(name) + " has shape " +
                                        to_string(dims_of<typename Column::shape_type>) + "; the file has " + to_string(shape)));
        auto out = Column::uninitialized(shape);
        auto* const to = out.mutable_data();
        for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
        return out;
    }
    void append(file_call const& call, csv_format const& format, std::string& out, stored<value_type> const& value) const {
        if constexpr (std::is_same_v<value_type, std::string>) {
            append_text(out, value.str(), format);
        } else if constexpr (std::is_same_v<value_type, std::int64_t>) {
            if (time == csv_time::none) return append_value<value_type>(out, value);
            if (!is_writable_day(time == csv_time::days ? value : day_of_second(value)))
                call.fail("the field " + std::string(name) + " holds a date whose year has not four digits");
            time == csv_time::days ? append_days(out, value) : append_seconds(out, value);
        } else append_value<value_type>(out, value);
    }
};

// Calls f(columns, field...), with a tuple of csv_column and the fields of a struct.
template <class Rows, class F> void with_csv_columns(file_call const& call, Rows& rows, csv_format const& format, F const& f) {
    using plain = std::remove_const_t<Rows>;
    constexpr auto const& names = field_names<plain>;
    check_csv_table_format(call, format, names.data(), names.size());
    with_fields(rows, [&](auto&... field) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            auto columns = std::tuple(csv_column<std::remove_cvref_t<decltype(field)>>(call, format, names[K])...);
            f(columns, field...);
        }(std::index_sequence_for<decltype(field)...>{});
    });
}
template <class Rows> void read_csv_table(file_call const& call, csv_format const& format, Rows& rows) {
    with_csv_columns(call, rows, format, [&](auto& columns, auto&... field) {
        std::ifstream file = open_to_read(call);
        csv_rows row(call, file, format.delimiter, format.comment);
        std::string line;
        for (std::size_t k = 0; k < format.skip_rows && row.next_line(line);) ++k;
        if (!row.next()) call.fail("has no header, which would name its columns");
        std::size_t const width = row.size();
        std::apply([&](auto&... column) { (column.find(call, row), ...); }, columns);
        while (row.next()) {
            if (row.size() != width)
                call.fail("holds rows of different lengths: " + std::to_string(width) + ", and " + std::to_string(row.size()) +
                          " in line " + std::to_string(row.line()));
            std::apply([&](auto&... column) { (column.take(call, format, row), ...); }, columns);
        }
        auto all = std::apply([&](auto&... column) { return std::tuple(column.tensor_of(call)...); }, columns);
        std::tie(field...) = std::move(all);
    });
}
template <class Rows> void write_csv_table(file_call const& call, csv_format const& format, Rows const& rows) {
    with_csv_columns(call, rows, format, [&](auto& columns, auto const& first, auto const&... field) {
        std::int64_t const count = first.size();
        for (std::int64_t const others : {count, field.size()...})
            if (others != count)
                throw shape_error(call.says("the columns must have one length; there are some of " + std::to_string(count) +
                                            " and of " + std::to_string(others)));
        file_writer file(call);
        std::string row;
        auto const end = [&] {
            row.back() = '\n';
            file.write(row);
            row.clear();
        };
        std::apply([&](auto&... column) { ((append_text(row, std::string(column.name), format), row += format.delimiter), ...); },
                   columns);
        end();
        for (std::int64_t i = 0; i < count; ++i) {
            std::apply(
                [&](auto&... column) {
                    [&](auto const&... from) {
                        ((column.append(call, format, row, from.data()[i]), row += format.delimiter), ...);
                    }(first, field...);
                },
                columns);
            end();
        }
        file.finish();
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
    if constexpr (detail::check_csv_struct<Rows>()) detail::read_csv_table(detail::file_call{"load_csv", path}, format, rows);
    return rows;
}
// Writes a struct of columns: a row of the fields' names, then the values. Throws shape_error if the vectors differ in length.
template <detail::csv_struct Rows> void save_csv(std::string const& path, Rows const& rows, csv_format const& format = {}) {
    if constexpr (detail::check_csv_struct<Rows>()) detail::write_csv_table(detail::file_call{"save_csv", path}, format, rows);
}

} // namespace tx
