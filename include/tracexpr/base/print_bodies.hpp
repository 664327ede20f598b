// This file has the function bodies of base/print.hpp. The rules are those of numpy/_core/arrayprint.py.
#pragma once

#include <tracexpr/base/buffer.hpp>
#include <tracexpr/base/print.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace tx::detail {

inline constexpr int print_digits = 8;
inline constexpr std::size_t print_columns = 75;
inline constexpr std::int64_t print_threshold = 1000;
inline constexpr std::int64_t print_edge = 3;

TRACEXPR_BODY std::string digits_of(double value, std::chars_format format, int digits) {
    char text[400];
    return {text, std::to_chars(text, text + sizeof text, value, format, digits).ptr};
}

TRACEXPR_BODY std::string shortest_digits(double value, dtype type, std::chars_format format) {
    char text[400];
    if (type == dtype::float64) return {text, std::to_chars(text, text + sizeof text, value, format).ptr};
    auto const narrow = static_cast<float>(value);
    if (type == dtype::float32) return {text, std::to_chars(text, text + sizeof text, narrow, format).ptr};
    for (int digits = 0;; ++digits) {
        char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits).ptr;
        double read = 0;
        std::from_chars(text, end, read);
        auto const read_narrow = static_cast<float>(read);
        bool const same = type == dtype::float16 ? half(read_narrow).value() == narrow : bfloat16(read_narrow).value() == narrow;
        if (same || digits == 8) return {text, std::to_chars(text, text + sizeof text, read, format).ptr};
    }
}

// `decimal` is one number in parts: "-12", "5", "+07" for -12.5e+07.
struct decimal {
    std::string whole, fraction, exponent;
};

inline decimal split_decimal(std::string const& text) {
    std::size_t const e = std::min(text.find('e'), text.size());
    std::size_t const point = std::min(text.find('.'), e);
    return {text.substr(0, point), point < e ? text.substr(point + 1, e - point - 1) : "",
            e < text.size() ? text.substr(e + 1) : ""};
}

// Gives the shortest digits, cut to eight after the point.
inline decimal short_decimal(double value, dtype type, std::chars_format format) {
    decimal out = split_decimal(shortest_digits(value, type, format));
    if (out.fraction.size() > print_digits) out = split_decimal(digits_of(value, format, print_digits));
    while (!out.fraction.empty() && out.fraction.back() == '0') out.fraction.pop_back();
    return out;
}

// From this magnitude on NumPy writes a number of the dtype with an exponent. NumPy doesn't know bfloat16, which is treated as
// float32.
inline double exponent_limit(dtype type) { return type == dtype::float64 ? 1e16 : type == dtype::float16 ? 1e3 : 1e6; }

// NumPy shows all numbers with exponents if one of them is large, or small, or a thousand times another.
inline bool wants_exponents(std::vector<double> const& values, dtype type) {
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (double const value : values) {
        if (!std::isfinite(value) || value == 0) continue;
        largest = std::max(largest, std::abs(value));
        smallest = std::min(smallest, std::abs(value));
    }
    if (largest == 0) return false;
    double const limit = std::min(1e8, exponent_limit(type));
    // NumPy compares in the dtype, where 0.0001 is rounded.
    double const least = type == dtype::float64   ? 0.0001
                         : type == dtype::float16 ? double(half(0.0001).value())
                                                  : double(0.0001f);
    double const ratio =
        type == dtype::float64 ? largest / smallest : double(static_cast<float>(largest) / static_cast<float>(smallest));
    return largest >= limit || smallest < least || ratio > 1000;
}

// Gives all values, which are of dtype `type`, as words of one width with their decimal points below each other.
inline std::vector<std::string> format_floats(std::vector<double> const& values, dtype type, bool plus_sign) {
    bool const exponents = wants_exponents(values, type);
    auto const format = exponents ? std::chars_format::scientific : std::chars_format::fixed;
    std::vector<decimal> parts(values.size());
    std::size_t left = 0, right = 0, exponent_digits = 0, special = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            bool const sign = plus_sign || (std::isinf(values[i]) && values[i] < 0);
            parts[i].whole = std::isnan(values[i]) ? "nan" : "inf";
            if (sign) parts[i].whole.insert(parts[i].whole.begin(), std::isinf(values[i]) && values[i] < 0 ? '-' : '+');
            special = std::max(special, parts[i].whole.size());
            continue;
        }
        parts[i] = short_decimal(values[i], type, format);
        if (plus_sign && !std::signbit(values[i])) parts[i].whole.insert(0, "+");
        left = std::max(left, parts[i].whole.size());
        right = std::max(right, parts[i].fraction.size());
        if (exponents) exponent_digits = std::max(exponent_digits, parts[i].exponent.size() - 1);
    }
    std::size_t const after_point = exponents ? right + exponent_digits + 2 : right;
    if (special > after_point + 1) left = std::max(left, special - after_point - 1);

    std::vector<std::string> out(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            out[i] = std::string(left + after_point + 1 - parts[i].whole.size(), ' ') + parts[i].whole;
            continue;
        }
        if (exponents) { // Every number gets all the digits that one of them needs.
            parts[i] = split_decimal(digits_of(values[i], format, static_cast<int>(right)));
            if (plus_sign && !std::signbit(values[i])) parts[i].whole.insert(0, "+");
            std::size_t const missing = exponent_digits + 1 - parts[i].exponent.size();
            parts[i].exponent.insert(1, missing, '0');
        }
        out[i] = std::string(left - parts[i].whole.size(), ' ') + parts[i].whole + "." + parts[i].fraction;
        if (exponents) out[i] += "e" + parts[i].exponent;
        else out[i].append(right - parts[i].fraction.size(), ' ');
    }
    return out;
}

inline std::vector<std::string> format_complex(std::vector<double> const& real, std::vector<double> const& imaginary,
                                               dtype type) {
    std::vector<std::string> out = format_floats(real, type, false);
    std::vector<std::string> const other = format_floats(imaginary, type, true);
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::size_t const end = other[i].find_last_not_of(' ') + 1;
        out[i] += other[i].substr(0, end) + "j" + other[i].substr(end);
    }
    return out;
}

inline void align_right(std::vector<std::string>& words) {
    std::size_t width = 0;
    for (std::string const& word : words) width = std::max(width, word.size());
    for (std::string& word : words) word.insert(0, width - word.size(), ' ');
}

TRACEXPR_BODY std::string format_scalar(double value, dtype type, bool plus_sign, std::string_view no_fraction) {
    std::string out;
    double const magnitude = std::abs(value);
    if (std::isnan(value)) out = "nan";
    else if (std::isinf(value)) out = value < 0 ? "-inf" : "inf";
    else if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < exponent_limit(type))) {
        out = shortest_digits(value, type, std::chars_format::fixed);
        if (out.find('.') == std::string::npos) out += no_fraction;
    } else out = shortest_digits(value, type, std::chars_format::scientific);
    return plus_sign && out[0] != '-' ? "+" + out : out;
}

// This puts words into nested brackets. The words are those of the elements shown, in order.
class text_layout {
public:
    text_layout(dims const& d, bool shortened, std::vector<std::string> words)
        : dims_{d}, shortened_{shortened}, words_{std::move(words)} {}

    std::string nested(int axis, std::string const& indent, std::size_t columns) {
        std::string out = axis + 1 == dims_.rank ? row(axis, indent, columns) : block(axis, indent, columns);
        out.replace(0, indent.size(), 1, '[');
        return out += ']';
    }

private:
    // Gives the places along one axis that are shown; -1 stands for the ellipsis.
    buffer<std::int64_t> shown(int axis) const {
        buffer<std::int64_t> out;
        bool const cut = shortened_ && dims_[axis] > 2 * print_edge;
        for (std::int64_t i = 0; i < dims_[axis]; ++i) {
            if (cut && i == print_edge) {
                out.push_back(-1);
                i = dims_[axis] - print_edge;
            }
            out.push_back(i);
        }
        return out;
    }
    std::string row(int axis, std::string const& indent, std::size_t columns) {
        std::string out, line = indent;
        bool first = true;
        for (std::int64_t const i : shown(axis)) {
            std::string const word = i < 0 ? "..." : words_[next_++];
            if (!first) line += ' ';
            if (line.size() + word.size() > columns - 1 && line.size() > indent.size()) {
                line.erase(line.find_last_not_of(' ') + 1);
                out += line + "\n";
                line = indent;
            }
            line += word;
            first = false;
        }
        return out + line;
    }
    std::string block(int axis, std::string const& indent, std::size_t columns) {
        std::string out;
        for (std::int64_t const i : shown(axis)) {
            if (!out.empty()) out.append(static_cast<std::size_t>(dims_.rank - axis - 1), '\n');
            out += indent + (i < 0 ? "..." : nested(axis + 1, indent + ' ', columns - 1));
        }
        return out;
    }

    dims dims_;
    bool shortened_;
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};
inline std::string dual_text(std::string const& value, std::string const& tangent) {
    return "dual(" + value + ", " + tangent + ')';
}

TRACEXPR_BODY std::string quoted(std::string_view text, bool json) {
    char const quote = json ? '"' : text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    std::string out(1, quote);
    for (char const c : text) {
        if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '\r') out += "\\r";
        else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
            constexpr char const* digits = "0123456789abcdef";
            ((out += json ? "\\u00" : "\\x") += digits[c >> 4]) += digits[c & 15];
        } else (c == quote || c == '\\' ? out += '\\' : out) += c;
    }
    return out += quote;
}

// Appends the places of the elements that are shown, in order.
inline void append_shown(dims const& d, int axis, std::int64_t at, bool shortened, buffer<std::int64_t>& out) {
    if (axis == d.rank) return out.push_back(at);
    bool const cut = shortened && d[axis] > 2 * print_edge;
    for (std::int64_t i = 0; i < d[axis]; ++i) {
        if (cut && i == print_edge) i = d[axis] - print_edge;
        append_shown(d, axis + 1, at * d[axis] + i, shortened, out);
    }
}

// printed_elements reads elements of a dtype: a dual number has two elements in place of each, and a complex one two numbers.
class printed_elements {
public:
    printed_elements(dtype type, void const* first) : printed_elements(type, first, size_in_bytes(type)) {}

    // Gives the elements at these places as words of one width.
    std::vector<std::string> words(buffer<std::int64_t> const& places) const {
        std::vector<std::string> out;
        if (is_dual(type_)) {
            out = part(0).words(places);
            std::vector<std::string> const behind = part(1).words(places);
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = dual_text(out[i], behind[i]);
        } else if (is_complex(type_)) {
            out = format_complex(part(0).numbers(places), part(1).numbers(places), real_part(type_));
        } else if (is_inexact(type_)) {
            out = format_floats(numbers(places), type_, false);
        } else {
            for (std::int64_t const i : places) out.push_back(type_ == dtype::string ? detail::quoted(word(i)) : word(i));
            if (type_ == dtype::boolean)
                for (std::string& word : out) word.insert(0, 5 - word.size(), ' ');
            else if (type_ != dtype::string) align_right(out);
        }
        return out;
    }
    // Gives one element on its own.
    std::string word(std::int64_t i) const {
        if (type_ == dtype::boolean) return at<bool>(i) ? "True" : "False";
        if (type_ == dtype::string) return at<interned>(i).str();
        if (is_dual(type_)) return dual_text(part(0).word(i), part(1).word(i));
        if (is_complex(type_)) {
            double const real = part(0).number(i), imaginary = part(1).number(i);
            dtype const type = real_part(type_);
            if (real == 0 && !std::signbit(real)) return format_scalar(imaginary, type, false, "") + "j";
            std::string out(1, '('); // At -O3, g++ 12 takes an insertion in front for an overlap, and warns.
            out += format_scalar(real, type, false, "");
            out += format_scalar(imaginary, type, true, "");
            return out += "j)";
        }
        if (is_inexact(type_)) return format_scalar(number(i), type_);
        return is_signed_integer(type_) ? std::to_string(signed_number(i)) : std::to_string(unsigned_number(i));
    }

private:
    printed_elements(dtype type, void const* first, std::size_t bytes_apart)
        : type_{type}, first_{static_cast<std::byte const*>(first)}, bytes_apart_{bytes_apart} {}

    printed_elements part(std::size_t which) const {
        dtype const type = is_dual(type_) ? dual_of(primal(type_), tx::dual_depth(type_) - 1) : real_part(type_);
        return {type, first_ + which * size_in_bytes(type), bytes_apart_};
    }
    template <class T> T at(std::int64_t i) const {
        T out;
        std::memcpy(static_cast<void*>(&out), first_ + static_cast<std::size_t>(i) * bytes_apart_, sizeof out);
        return out;
    }
    double number(std::int64_t i) const {
        switch (type_) {
        case dtype::float16: return static_cast<double>(at<half>(i).value());
        case dtype::bfloat16: return static_cast<double>(at<bfloat16>(i).value());
        case dtype::float32: return static_cast<double>(at<float>(i));
        default: return at<double>(i);
        }
    }
    std::vector<double> numbers(buffer<std::int64_t> const& places) const {
        std::vector<double> out;
        for (std::int64_t const i : places) out.push_back(number(i));
        return out;
    }
    std::int64_t signed_number(std::int64_t i) const {
        switch (size_in_bytes(type_)) {
        case 1: return at<std::int8_t>(i);
        case 2: return at<std::int16_t>(i);
        case 4: return at<std::int32_t>(i);
        default: return at<std::int64_t>(i);
        }
    }
    std::uint64_t unsigned_number(std::int64_t i) const {
        switch (size_in_bytes(type_)) {
        case 1: return at<std::uint8_t>(i);
        case 2: return at<std::uint16_t>(i);
        case 4: return at<std::uint32_t>(i);
        default: return at<std::uint64_t>(i);
        }
    }

    dtype type_;
    std::byte const* first_;
    std::size_t bytes_apart_;
};

TRACEXPR_BODY std::string printed(dtype type, void const* elements, dims const& d) {
    printed_elements const all(type, elements);
    if (d.rank == 0) return all.word(0);
    if (d.size() == 0) return "[]";
    bool const shortened = d.size() > print_threshold;
    buffer<std::int64_t> places;
    append_shown(d, 0, 0, shortened, places);
    return text_layout(d, shortened, all.words(places)).nested(0, " ", print_columns);
}

TRACEXPR_BODY line_handler& printed_lines() {
    static line_handler handler(stdout);
    return handler;
}

} // namespace tx::detail
