// This file converts values of every dtype from and to text, exactly, and reads rows of text as CSV files have them (RFC 4180,
// and NumPy's loadtxt and savetxt where they go beyond it). It does not depend on the locale.
#pragma once

#include <tracexpr/files/elements.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <istream>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tx::detail {

inline std::string_view without_space(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// Gives the value of a decimal number whose magnitude no T has: an infinity or 0, with its sign.
template <class T> T beyond_range(std::string_view number) {
    bool const negative = number.starts_with('-');
    std::size_t const end = std::min(number.find_first_of("eE"), number.size());
    long long power = 0; // the power of ten, one more than that of the first digit that is not 0
    if (end < number.size()) {
        std::string_view exponent = number.substr(end + 1);
        if (exponent.starts_with('+')) exponent.remove_prefix(1);
        auto const problem = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec;
        constexpr long long limit = std::numeric_limits<long long>::max() / 4;
        power = problem == std::errc{} ? std::clamp(power, -limit, limit) : exponent.starts_with('-') ? -limit : limit;
    }
    std::string_view const digits = number.substr(0, end);
    std::size_t const point = std::min(digits.find('.'), digits.size()), first = digits.find_first_of("123456789");
    if (first != std::string_view::npos)
        power += static_cast<long long>(point) - static_cast<long long>(first) + (first > point ? 1 : 0);
    T const magnitude = power > 0 ? std::numeric_limits<T>::infinity() : T(0);
    return negative ? -magnitude : magnitude;
}
// Takes the number that the text begins with; returns false if there is none. A sign may precede it.
template <class T> bool take_number(std::string_view& text, T& out) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return false;
    }
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    auto const length = static_cast<std::size_t>(end - text.data());
    if constexpr (std::is_floating_point_v<T>) {
        if (problem == std::errc::result_out_of_range) out = beyond_range<T>(text.substr(0, length));
        else if (problem != std::errc{} || text[length - 1] == ')') return false; // "nan(1)" is no number elsewhere
    } else {
        if (problem != std::errc{}) return false;
    }
    text.remove_prefix(length);
    return true;
}
// Parses "(1+2j)", "1+2j", "2j" or "1", as Python writes and reads complex numbers.
template <class T> bool parse_complex(std::string_view text, std::complex<T>& out) {
    if (text.starts_with('(') && text.ends_with(')')) text = without_space(text.substr(1, text.size() - 2));
    T first{}, second{};
    if (!take_number(text, first)) return false;
    if (text.empty()) return out = first, true;
    if (text == "j") return out = {T(0), first}, true;
    if (!text.starts_with('+') && !text.starts_with('-')) return false;
    if (!take_number(text, second) || text != "j") return false;
    return out = {first, second}, true;
}
template <class T, class Value> bool store_as(Value const& value, void* to) {
    *static_cast<T*>(to) = T(value);
    return true;
}
// Stores a whole number if it has a T.
template <class T, class Whole> bool store_whole(Whole value, void* to) {
    return std::in_range<T>(value) && store_as<T>(value, to);
}
inline bool parse_signed(std::string_view text, dtype type, void* to) {
    std::int64_t value = 0;
    if (!take_number(text, value) || !text.empty()) return false;
    switch (type) {
    case dtype::int8: return store_whole<std::int8_t>(value, to);
    case dtype::int16: return store_whole<std::int16_t>(value, to);
    case dtype::int32: return store_whole<std::int32_t>(value, to);
    default: return store_whole<std::int64_t>(value, to);
    }
}
inline bool parse_unsigned(std::string_view text, dtype type, void* to) {
    std::uint64_t value = 0;
    if (!take_number(text, value) || !text.empty()) return false;
    switch (type) {
    case dtype::uint8: return store_whole<std::uint8_t>(value, to);
    case dtype::uint16: return store_whole<std::uint16_t>(value, to);
    case dtype::uint32: return store_whole<std::uint32_t>(value, to);
    default: return store_whole<std::uint64_t>(value, to);
    }
}
inline bool parse_floating(std::string_view text, dtype type, void* to) {
    double value = 0;
    if (type == dtype::float32) return take_number(text, *static_cast<float*>(to)) && text.empty();
    if (!take_number(text, value) || !text.empty()) return false;
    switch (type) {
    case dtype::float16: return store_as<half>(value, to);
    case dtype::bfloat16: return store_as<bfloat16>(value, to);
    default: return store_as<double>(value, to);
    }
}
// Parses all of `text` as an element, except for space around it; returns false if it is none. In strings, space is kept.
inline bool parse_element(std::string_view text, dtype type, void* to) {
    if (type == dtype::string) return store_as<interned>(text, to);
    text = without_space(text);
    if (type == dtype::boolean) {
        bool const is_true = text == "1" || text == "True" || text == "true";
        store_as<bool>(is_true, to);
        return is_true || text == "0" || text == "False" || text == "false";
    }
    if (is_signed_integer(type)) return parse_signed(text, type, to);
    if (is_unsigned_integer(type)) return parse_unsigned(text, type, to);
    if (type == dtype::complex64) return parse_complex(text, *static_cast<std::complex<float>*>(to));
    if (type == dtype::complex128) return parse_complex(text, *static_cast<std::complex<double>*>(to));
    return parse_floating(text, type, to);
}
// Stores the NaN of a floating or complex dtype.
inline void store_nan(dtype type, void* to) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    switch (type) {
    case dtype::float16: *static_cast<half*>(to) = std::numeric_limits<half>::quiet_NaN(); break;
    case dtype::bfloat16: *static_cast<bfloat16*>(to) = std::numeric_limits<bfloat16>::quiet_NaN(); break;
    case dtype::float32: store_as<float>(nan, to); break;
    case dtype::complex64: store_as<std::complex<float>>(static_cast<float>(nan), to); break;
    case dtype::complex128: store_as<std::complex<double>>(nan, to); break;
    default: store_as<double>(nan, to);
    }
}

// The sign of a NaN is not written.
template <class T> void append_number(std::string& out, T value) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(value)) return static_cast<void>(out += "nan");
    std::array<char, 64> digits;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}
template <class T> void append_complex(std::string& out, std::complex<T> const& value) {
    out += '(';
    append_number(out, value.real());
    if (std::isnan(value.imag()) || !std::signbit(value.imag())) out += '+';
    append_number(out, value.imag());
    out += "j)";
}
template <class T> T const& element_at(void const* from) { return *static_cast<T const*>(from); }
// Appends an element that is no string, with as few digits as give the same value back.
inline void append_element(std::string& out, dtype type, void const* from) {
    using widest = std::int64_t;
    switch (type) {
    case dtype::boolean: out += element_at<bool>(from) ? '1' : '0'; break;
    case dtype::int8: append_number(out, widest{element_at<std::int8_t>(from)}); break;
    case dtype::int16: append_number(out, widest{element_at<std::int16_t>(from)}); break;
    case dtype::int32: append_number(out, widest{element_at<std::int32_t>(from)}); break;
    case dtype::int64: append_number(out, element_at<std::int64_t>(from)); break;
    case dtype::uint8: append_number(out, widest{element_at<std::uint8_t>(from)}); break;
    case dtype::uint16: append_number(out, widest{element_at<std::uint16_t>(from)}); break;
    case dtype::uint32: append_number(out, widest{element_at<std::uint32_t>(from)}); break;
    case dtype::uint64: append_number(out, element_at<std::uint64_t>(from)); break;
    case dtype::float16: append_number(out, element_at<half>(from).value()); break;
    case dtype::bfloat16: append_number(out, element_at<bfloat16>(from).value()); break;
    case dtype::float32: append_number(out, element_at<float>(from)); break;
    case dtype::complex64: append_complex(out, element_at<std::complex<float>>(from)); break;
    case dtype::complex128: append_complex(out, element_at<std::complex<double>>(from)); break;
    default: append_number(out, element_at<double>(from));
    }
}

// This reads the rows of a file, one after the other, as fields of text.
class csv_rows {
public:
    struct field {
        std::string text;
        bool quoted = false;
    };
    csv_rows(file_call const& call, std::istream& file, char delimiter, char comment)
        : call_{call}, file_{file}, delimiter_{delimiter}, comment_{comment} {}

    // Reads the next line, with a carriage return if one ends it; returns false at the end of the file.
    bool next_line(std::string& line) {
        if (!std::getline(file_, line)) {
            if (file_.bad()) call_.fail("can't be read");
            return false;
        }
        if (++line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3); // Spreadsheets put this mark before UTF-8.
        return true;
    }
    // Reads the next row that is not empty; returns false at the end of the file.
    bool next() {
        count_ = 0;
        while (count_ == 0 && next_line(text_)) {
            first_line_ = line_;
            at_ = 0;
            skip_space();
            if (!at_end()) read_fields();
        }
        return count_ > 0;
    }
    std::size_t size() const { return count_; }
    field const& operator[](std::size_t column) const { return fields_[column]; }
    std::size_t line() const { return first_line_; }

private:
    bool is_space(char c) const { return (c == ' ' || c == '\t') && (c != delimiter_ || is_spaced()); }
    bool is_spaced() const { return delimiter_ == ' '; } // Any number of spaces and tabs separates fields.
    bool is_delimiter(char c) const { return is_spaced() ? is_space(c) : c == delimiter_; }
    bool at_end() const {
        return at_ == text_.size() || (comment_ != '\0' && text_[at_] == comment_) ||
               (text_[at_] == '\r' && at_ + 1 == text_.size());
    }
    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }

    void read_fields() {
        if (!is_spaced()) at_ = 0;
        for (;;) {
            if (count_ == fields_.size()) fields_.emplace_back();
            read_field(fields_[count_++]);
            if (is_spaced()) skip_space();
            if (at_end()) return;
            if (!is_spaced()) ++at_;
        }
    }
    void read_field(field& out) {
        std::size_t const begin = at_;
        skip_space();
        out.quoted = at_ < text_.size() && text_[at_] == '"';
        if (out.quoted) return read_quoted(out.text);
        at_ = begin;
        while (!at_end() && !is_delimiter(text_[at_])) ++at_;
        out.text.assign(text_, begin, at_ - begin);
    }
    // Reads a quoted field. A quote within quotes is written twice, and a quoted field may contain line ends.
    void read_quoted(std::string& out) {
        out.clear();
        for (++at_;;) {
            std::size_t const end = std::min(text_.find('"', at_), text_.size());
            out.append(text_, at_, end - at_);
            at_ = end + 1;
            if (end == text_.size()) {
                if (!next_line(text_)) call_.fail("a quote in line " + std::to_string(first_line_) + " does not end");
                out += '\n';
                at_ = 0;
            } else if (at_ < text_.size() && text_[at_] == '"') {
                out += '"';
                ++at_;
            } else {
                break;
            }
        }
        if (!is_spaced()) skip_space();
        if (!at_end() && !is_delimiter(text_[at_]))
            call_.fail("more follows a quoted text in line " + std::to_string(line_) + ": " +
                       quoted_piece(std::string_view(text_).substr(at_)));
    }

    file_call const& call_;
    std::istream& file_;
    char delimiter_, comment_;
    std::string text_;
    std::size_t at_ = 0, line_ = 0, first_line_ = 0, count_ = 0;
    std::vector<field> fields_;
};

} // namespace tx::detail
