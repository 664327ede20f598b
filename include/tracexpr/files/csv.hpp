// This file reads and writes CSV files as tensors: numbers of every dtype, and strings.
#pragma once

#include <tracexpr/files/csv_text.hpp>

#include <limits>
#include <string>
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

inline void check_csv_format(file_call const& call, csv_format const& format) {
    char const d = format.delimiter;
    bool const is_letter = (d >= '0' && d <= '9') || (d >= 'a' && d <= 'z') || (d >= 'A' && d <= 'Z');
    if (is_letter || std::string_view("+-.()\"\r\n").find(d) != std::string_view::npos || d == format.comment || d == '\0')
        call.fail("a delimiter must be no part of numbers, no quote, no end of a line and no comment's mark; given " +
                  quoted_piece(std::string_view(&d, 1)));
    if (format.header.find_first_of("\r\n") != std::string::npos)
        call.fail("a header is one line; given " + quoted_piece(format.header));
}

template <class T> struct csv_values {
    buffer<stored<T>> values; // The values are row by row.
    std::int64_t rows = 0, columns = 0;
};

// Ends the message of a field that is no number: a file's first line may be a header that the program has not thought of.
inline std::string hint_of_header(csv_format const& format, csv_rows const& row, std::string const& text) {
    std::string_view const word = without_space(text);
    bool const is_word = !word.empty() && ((word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z'));
    if (!is_word || !format.header.empty() || row.line() != format.skip_rows + 1) return {};
    return "; skip a header with tx::csv_format{.skip_rows = " + std::to_string(row.line()) + "}";
}
// Appends the value of a field; column_name() gives the column's name for messages.
template <class T, class Name> void append_field(file_call const& call, csv_format const& format, csv_rows const& row,
                                                 std::size_t column, Name const& column_name, buffer<stored<T>>& out) {
    std::string const& text = row[column].text;
    stored<T> value{};
    if constexpr (is_inexact(dtype_of<T>)) {
        bool const is_missing = !row[column].quoted && std::find(format.missing.begin(), format.missing.end(),
                                                                 without_space(text)) != format.missing.end();
        if (is_missing) {
            using real = ctype<real_part(dtype_of<T>)>;
            return out.push_back(T(std::numeric_limits<real>::quiet_NaN()));
        }
    }
    if (!parse_value<T>(text, value))
        call.fail("holds something that is no " + std::string(name(dtype_of<T>)) + " in the column " + column_name() + ": " +
                  quoted_piece(text) + " in line " + std::to_string(row.line()) + hint_of_header(format, row, text));
    out.push_back(value);
}
template <class T> csv_values<T> read_csv(file_call const& call, csv_format const& format) {
    check_csv_format(call, format);
    if (!is_inexact(dtype_of<T>) && !format.missing.empty())
        throw type_error(call.says("missing values are read as NaN, which " + std::string(name(dtype_of<T>)) + " has not"));
    std::ifstream file = open_to_read(call);
    csv_rows row(call, file, format.delimiter, format.comment);
    std::string line;
    for (std::size_t k = 0; k < format.skip_rows && row.next_line(line);) ++k;
    if (!format.header.empty()) {
        line.clear();
        row.next_line(line);
        if (line.ends_with('\r')) line.pop_back();
        if (line != format.header)
            call.fail("its header must be " + quoted_piece(format.header) + "; it is " + quoted_piece(line) +
                      "; give no .header for a file without one");
    }
    csv_values<T> out;
    std::size_t width = 0;
    auto const numbered = [](std::size_t column) { return [=] { return std::to_string(column); }; };
    while (row.next()) {
        if (out.rows++ == 0) width = row.size();
        if (row.size() != width)
            call.fail("holds rows of different lengths: " + std::to_string(width) + ", and " + std::to_string(row.size()) +
                      " in line " + std::to_string(row.line()));
        for (std::size_t column = 0; format.columns.empty() && column < width; ++column)
            append_field<T>(call, format, row, column, numbered(column), out.values);
        for (int const column : format.columns) {
            auto const from_first = column < 0 ? column + static_cast<std::int64_t>(width) : column;
            if (from_first < 0 || from_first >= static_cast<std::int64_t>(width))
                call.fail("has " + std::to_string(width) + " columns; asked for column " + std::to_string(column));
            append_field<T>(call, format, row, static_cast<std::size_t>(from_first),
                            numbered(static_cast<std::size_t>(from_first)), out.values);
        }
    }
    out.columns = static_cast<std::int64_t>(format.columns.empty() ? width : format.columns.size());
    return out;
}

// Appends a string so that it reads back unchanged: in quotes if it could be taken for anything else.
inline void append_text(std::string& out, std::string const& text, csv_format const& format) {
    std::string special = "\"\r\n";
    special += format.delimiter;
    if (format.comment != '\0') special += format.comment;
    auto const is_space = [](char c) { return c == ' ' || c == '\t'; };
    if (!text.empty() && text.find_first_of(special) == std::string::npos && text.find('\t') == std::string::npos &&
        !is_space(text.front()) && !is_space(text.back()) && !text.starts_with("\xef\xbb\xbf")) {
        out += text;
        return;
    }
    out += '"';
    for (char const c : text) out.append(c == '"' ? 2 : 1, c);
    out += '"';
}

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
    detail::file_call const call{"load_csv", path};
    detail::csv_values<T> const read = detail::read_csv<T>(call, format);
    dims shape{{read.rows, read.columns}, 2};
    if constexpr (dims_of<Shape>.rank == 1)
        if (read.rows == 1 || read.columns <= 1) shape = {{read.rows * read.columns}, 1};
    if (!may_equal(dims_of<Shape>, shape))
        throw shape_error(call.says("the type says shape " + to_string(dims_of<Shape>) + "; the file has " + to_string(shape)));
    auto out = tensor<T, Shape>::uninitialized(shape);
    auto* const to = out.mutable_data();
    for (std::size_t i = 0; i < read.values.size(); ++i) to[i] = read.values[i];
    return out;
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
    detail::file_call const call{"save_csv", path};
    dims const shape = t.dimensions();
    if (shape.rank != 1 && shape.rank != 2)
        throw shape_error(call.says("a file of rows is a matrix or a vector; given shape " + to_string(shape)));
    detail::check_csv_format(call, format);
    auto const* from = t.data();
    std::int64_t const columns = shape.rank == 2 ? shape[1] : 1;
    detail::file_writer file(call);
    if (!format.header.empty()) file.write(format.header + '\n');
    std::string row;
    for (std::int64_t i = 0; i < shape.size(); ++i, ++from) {
        if constexpr (std::is_same_v<T, std::string>) detail::append_text(row, from->str(), format);
        else detail::append_value<T>(row, *from);
        bool const ends = (i + 1) % columns == 0;
        row += ends ? '\n' : format.delimiter;
        if (!ends) continue;
        file.write(row);
        row.clear();
    }
    file.finish();
}

} // namespace tx
