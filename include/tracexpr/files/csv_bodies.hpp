// This file holds the bodies of files/csv.hpp.
#pragma once

#include <tracexpr/files/csv.hpp>
#include <tracexpr/files/csv_text.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

namespace tx::detail {

inline void check_csv_format(file_call const& call, csv_format const& format) {
    char const d = format.delimiter;
    bool const is_letter = (d >= '0' && d <= '9') || (d >= 'a' && d <= 'z') || (d >= 'A' && d <= 'Z');
    if (is_letter || std::string_view("+-.()\"\r\n").find(d) != std::string_view::npos || d == format.comment || d == '\0')
        call.fail("a delimiter must be no part of numbers, no quote, no end of a line and no comment's mark; given " +
                  quoted_piece(std::string_view(&d, 1)));
    if (format.header.find_first_of("\r\n") != std::string::npos)
        call.fail("a header is one line; given " + quoted_piece(format.header));
}

// csv_values gathers elements of one dtype, of which nobody knows how many there will be.
class csv_values {
public:
    explicit csv_values(dtype type) : type_{type} {}

    // Gives the place of a further element. The element belongs to the values once push() is called.
    void* next() {
        if (count_ == values_.shape().size()) grow(std::max<std::int64_t>(16, 2 * count_));
        return static_cast<char*>(values_.elements()) + static_cast<std::size_t>(count_) * size_in_bytes(type_);
    }
    void push() { ++count_; }
    std::int64_t count() const { return count_; }
    dtype type() const { return type_; }
    // Gives the elements, as many as the shape has.
    loaded_array taken(dims const& shape) const {
        loaded_array out(type_, shape);
        copy_to(out);
        return out;
    }

private:
    void grow(std::int64_t capacity) {
        loaded_array larger(type_, dims{{capacity}, 1});
        copy_to(larger);
        values_ = std::move(larger);
    }
    void copy_to(loaded_array& to) const {
        if (count_ > 0) std::memcpy(to.elements(), values_.elements(), static_cast<std::size_t>(count_) * size_in_bytes(type_));
    }

    dtype type_;
    std::int64_t count_ = 0;
    loaded_array values_{type_, dims{{0}, 1}};
};

// Ends the message of a field that is no number: a file's first line may be a header that the program has not thought of.
inline std::string hint_of_header(csv_format const& format, csv_rows const& row, std::string const& text) {
    std::string_view const word = without_space(text);
    bool const is_word = !word.empty() && ((word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z'));
    if (!is_word || !format.header.empty() || row.line() != format.skip_rows + 1) return {};
    return "; skip a header with tx::csv_format{.skip_rows = " + std::to_string(row.line()) + "}";
}
// Says what to do about an empty field, for a message.
inline std::string hint_of_missing(dtype type, std::string const& text) {
    if (!without_space(text).empty()) return {};
    return is_inexact(type) ? "; tx::csv_format{.missing = {\"\"}} reads empty fields as NaN"
                            : "; columns of floating dtypes may have missing values, which .missing lists";
}
// Appends the value of a field; column_name() gives the column's name for messages.
template <class Name> void append_field(file_call const& call, csv_format const& format, csv_rows const& row, std::size_t column,
                                        Name const& column_name, csv_values& out) {
    std::string const& text = row[column].text;
    bool const is_missing = is_inexact(out.type()) && !row[column].quoted &&
                            std::find(format.missing.begin(), format.missing.end(), without_space(text)) != format.missing.end();
    if (is_missing) store_nan(out.type(), out.next());
    else if (!parse_element(text, out.type(), out.next()))
        call.fail("holds something that is no " + std::string(name(out.type())) + " in the column " + column_name() + ": " +
                  quoted_piece(text) + " in line " + std::to_string(row.line()) + hint_of_header(format, row, text) +
                  hint_of_missing(out.type(), text));
    out.push();
}
// Skips the lines that the format says.
inline void skip_rows(csv_rows& row, csv_format const& format) {
    std::string line;
    for (std::size_t k = 0; k < format.skip_rows && row.next_line(line);) ++k;
}
inline void check_width(file_call const& call, csv_rows const& row, std::size_t width) {
    if (row.size() != width)
        call.fail("holds rows of different lengths: " + std::to_string(width) + ", and " + std::to_string(row.size()) +
                  " in line " + std::to_string(row.line()));
}
inline void check_header(file_call const& call, csv_rows& row, csv_format const& format) {
    if (format.header.empty()) return;
    std::string line;
    row.next_line(line);
    if (line.ends_with('\r')) line.pop_back();
    if (line != format.header)
        call.fail("its header must be " + quoted_piece(format.header) + "; it is " + quoted_piece(line) +
                  "; give no .header for a file without one");
}
// Appends the wanted columns of a row.
inline void append_row(file_call const& call, csv_format const& format, csv_rows const& row, csv_values& out) {
    auto const append = [&](std::size_t column) {
        append_field(call, format, row, column, [&] { return std::to_string(column); }, out);
    };
    auto const width = static_cast<std::int64_t>(row.size());
    for (std::size_t column = 0; format.columns.empty() && column < row.size(); ++column) append(column);
    for (int const column : format.columns) {
        std::int64_t const from_first = column < 0 ? column + width : column;
        if (from_first < 0 || from_first >= width)
            call.fail("has " + std::to_string(width) + " columns; asked for column " + std::to_string(column));
        append(static_cast<std::size_t>(from_first));
    }
}

TRACEXPR_BODY loaded_array read_csv(std::string const& path, array_type const& wanted, csv_format const& format) {
    file_call const call{"load_csv", path};
    check_csv_format(call, format);
    if (!is_inexact(wanted.type) && !format.missing.empty())
        throw type_error(call.says("missing values are read as NaN, which " + std::string(name(wanted.type)) + " has not"));
    std::ifstream file = open_to_read(call);
    csv_rows row(call, file, format.delimiter, format.comment);
    skip_rows(row, format);
    check_header(call, row, format);
    csv_values values(wanted.type);
    std::size_t width = 0;
    std::int64_t rows = 0;
    while (row.next()) {
        if (rows++ == 0) width = row.size();
        check_width(call, row, width);
        append_row(call, format, row, values);
    }
    auto const columns = static_cast<std::int64_t>(format.columns.empty() ? width : format.columns.size());
    bool const is_vector = wanted.shape.rank == 1 && (rows == 1 || columns <= 1);
    dims const shape = is_vector ? dims{{rows * columns}, 1} : dims{{rows, columns}, 2};
    if (!may_equal(wanted.shape, shape))
        throw shape_error(call.says("the type says shape " + to_string(wanted.shape) + "; the file has " + to_string(shape)));
    return values.taken(shape);
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

TRACEXPR_BODY void write_csv(std::string const& path, array_elements const& array, csv_format const& format) {
    file_call const call{"save_csv", path};
    dims const shape = array.shape;
    if (shape.rank != 1 && shape.rank != 2)
        throw shape_error(call.says("a file of rows is a matrix or a vector; given shape " + to_string(shape)));
    check_csv_format(call, format);
    auto const* from = static_cast<char const*>(array.elements);
    std::int64_t const columns = shape.rank == 2 ? shape[1] : 1;
    file_writer file(call);
    if (!format.header.empty()) file.write(format.header + '\n');
    std::string row;
    for (std::int64_t i = 0; i < shape.size(); ++i, from += size_in_bytes(array.type)) {
        if (array.type == dtype::string) append_text(row, element_at<interned>(from).str(), format);
        else append_element(row, array.type, from);
        bool const ends = (i + 1) % columns == 0;
        row += ends ? '\n' : format.delimiter;
        if (!ends) continue;
        file.write(row);
        row.clear();
    }
    file.finish();
}

} // namespace tx::detail
