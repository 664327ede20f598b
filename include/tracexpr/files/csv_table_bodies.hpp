// This file holds the bodies of files/csv_table.hpp.
#pragma once

#include <tracexpr/files/csv_bodies.hpp>
#include <tracexpr/files/csv_table.hpp>
#include <tracexpr/files/dates.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tx::detail {

enum class csv_time { none, days, seconds }; // whether a column holds dates, and in which unit
inline csv_time time_of_column(csv_format const& format, std::string_view name) {
    auto const holds = [&](std::vector<std::string> const& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    return holds(format.days) ? csv_time::days : holds(format.seconds) ? csv_time::seconds : csv_time::none;
}
inline void check_csv_table_format(file_call const& call, csv_format const& format, table_view<csv_column> columns) {
    check_csv_format(call, format);
    if (!format.header.empty() || !format.columns.empty())
        call.fail("a struct's fields name the columns: give no header and no columns");
    for (std::vector<std::string> const* const list : {&format.days, &format.seconds})
        for (std::string const& name : *list)
            if (std::none_of(columns.begin(), columns.end(), [&](csv_column const& c) { return c.name == name; }))
                call.fail("there is no field " + quoted_piece(name) + ", which is to hold dates");
}

// Gives for each column whether it holds dates.
inline std::vector<csv_time> times_of_columns(file_call const& call, csv_format const& format, table_view<csv_column> columns) {
    check_csv_table_format(call, format, columns);
    std::vector<csv_time> out;
    for (csv_column const& column : columns) {
        out.push_back(time_of_column(format, column.name));
        if (out.back() != csv_time::none && column.type.type != dtype::int64)
            throw type_error(call.says("dates are int64; the field " + std::string(column.name) + " has dtype " +
                                       std::string(name(column.type.type))));
    }
    return out;
}

// csv_column_reader reads the values of one column.
struct csv_column_reader {
    csv_column const& column;
    csv_time time;
    csv_values values{column.type.type};
    std::size_t place = 0; // which field of a row of the file it is

    // Finds the column in the file's first row.
    void find(file_call const& call, csv_rows const& header) {
        auto const is_at = [&](std::size_t k) { return without_space(header[k].text) == column.name; };
        while (place < header.size() && !is_at(place)) ++place;
        for (std::size_t k = place + 1; k < header.size(); ++k)
            if (is_at(k))
                call.fail("has two columns " + quoted_piece(column.name) + " in its header, line " +
                          std::to_string(header.line()));
        if (place < header.size()) return;
        call.fail("has no column " + quoted_piece(column.name) + " in its header, line " + std::to_string(header.line()) +
                  "; load a file without one as a matrix, tx::load_csv<double>(path)");
    }
    // Reads the column's field of a row and appends it to `values`.
    void take(file_call const& call, csv_format const& format, csv_rows const& row) {
        if (time == csv_time::none)
            return append_field(call, format, row, place, [&] { return quoted_piece(column.name); }, values);
        std::string_view const text = without_space(row[place].text);
        std::int64_t value = 0;
        if (!(time == csv_time::days ? parse_days(text, value) : parse_seconds(text, value)))
            call.fail("holds something that is no date in the column " + quoted_piece(column.name) + ": " + quoted_piece(text) +
                      " in line " + std::to_string(row.line()));
        store_as<std::int64_t>(value, values.next());
        values.push();
    }
    loaded_array taken(file_call const& call) const {
        dims const shape{{values.count()}, 1};
        if (!may_equal(column.type.shape, shape))
            throw shape_error(call.says("the field " + std::string(column.name) + " has shape " + to_string(column.type.shape) +
                                        "; the file has " + to_string(shape)));
        return values.taken(shape);
    }
};

TRACEXPR_BODY void read_csv_columns(std::string const& path, csv_format const& format, table_view<csv_column> columns,
                                    loaded_array* out) {
    file_call const call{"load_csv", path};
    std::vector<csv_time> const times = times_of_columns(call, format, columns);
    std::vector<csv_column_reader> readers;
    for (std::size_t k = 0; k < columns.size(); ++k) readers.push_back({columns[k], times[k]});
    std::ifstream file = open_to_read(call);
    csv_rows row(call, file, format.delimiter, format.comment);
    skip_rows(row, format);
    if (!row.next()) call.fail("has no header, which would name its columns");
    std::size_t const width = row.size();
    for (csv_column_reader& reader : readers) reader.find(call, row);
    while (row.next()) {
        check_width(call, row, width);
        for (csv_column_reader& reader : readers) reader.take(call, format, row);
    }
    for (csv_column_reader const& reader : readers) *out++ = reader.taken(call);
}

inline void append_cell(file_call const& call, csv_format const& format, csv_column const& column, csv_time time,
                        void const* from, std::string& out) {
    if (column.type.type == dtype::string) return append_text(out, element_at<interned>(from).str(), format);
    if (time == csv_time::none) return append_element(out, column.type.type, from);
    std::int64_t const value = element_at<std::int64_t>(from);
    if (!is_writable_day(time == csv_time::days ? value : day_of_second(value)))
        call.fail("the field " + std::string(column.name) + " holds a date whose year has not four digits");
    time == csv_time::days ? append_days(out, value) : append_seconds(out, value);
}
TRACEXPR_BODY void write_csv_columns(std::string const& path, csv_format const& format, table_view<csv_column> columns,
                                     array_elements const* elements) {
    file_call const call{"save_csv", path};
    std::vector<csv_time> const times = times_of_columns(call, format, columns);
    std::int64_t const count = elements[0].shape.size();
    for (std::size_t k = 0; k < columns.size(); ++k)
        if (elements[k].shape.size() != count)
            throw shape_error(call.says("the columns must have one length; there are some of " + std::to_string(count) +
                                        " and of " + std::to_string(elements[k].shape.size())));
    file_writer file(call);
    std::string row;
    auto const end = [&] {
        row.back() = '\n';
        file.write(row);
        row.clear();
    };
    for (csv_column const& column : columns) {
        append_text(row, std::string(column.name), format);
        row += format.delimiter;
    }
    end();
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < columns.size(); ++k) {
            std::size_t const before = static_cast<std::size_t>(i) * size_in_bytes(elements[k].type);
            append_cell(call, format, columns[k], times[k], static_cast<char const*>(elements[k].elements) + before, row);
            row += format.delimiter;
        }
        end();
    }
    file.finish();
}

} // namespace tx::detail
