// This file prints tensors in NumPy's layout: what `str(array)` gives with NumPy 2's default print options (8 digits, lines of 75
// columns, and only the three elements at each edge if there are more than 1000). The rules are those of
// numpy/_core/arrayprint.py.
#pragma once

#include <tracexpr/base/buffer.hpp>
#include <tracexpr/base/line_handler.hpp>
#include <tracexpr/base/tensor.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tx {
namespace detail {

inline constexpr std::int64_t print_threshold = 1000;
inline constexpr std::int64_t print_edge = 3;

// Gives the digits of a finite value, rounded exactly to `digits` digits after the point.
std::string digits_of(double value, std::chars_format format, int digits);
// Gives the fewest digits that tell a finite value of dtype `type` from its neighbours in that dtype.
std::string shortest_digits(double value, dtype type, std::chars_format format);
// Gives all values, which are of dtype `type`, as words of one width with their decimal points below each other.
std::vector<std::string> format_floats(std::vector<double> const& values, dtype type, bool plus_sign);
std::vector<std::string> format_complex(std::vector<double> const& real, std::vector<double> const& imaginary, dtype type);
void align_right(std::vector<std::string>& words);
// Gives one number on its own, as Python prints it: "3.0", "1e+16".
std::string format_scalar(double value, dtype type, bool plus_sign = false, std::string_view no_fraction = ".0");
// Puts words, which are those of the elements shown, in order, into nested brackets.
std::string laid_out(dims const& d, bool shortened, std::vector<std::string> const& words);
std::string dual_text(std::string const& value, std::string const& tangent);
// Gives a text as Python writes a string, or JSON. It is called with its namespace, because std::string makes std::quoted visible
// where <iomanip> is included.
std::string quoted(std::string_view text, bool json = false);
line_handler& printed_lines();

// Appends the elements that are shown, in order.
template <class T, class Shape>
void append_shown(tensor<T, Shape> const& a, dims const& d, int axis, std::int64_t at, bool shortened, std::vector<T>& out) {
    if (axis == d.rank) {
        out.push_back(a.data()[at]);
        return;
    }
    bool const cut = shortened && d[axis] > 2 * print_edge;
    for (std::int64_t i = 0; i < d[axis]; ++i) {
        if (cut && i == print_edge) i = d[axis] - print_edge;
        append_shown(a, d, axis + 1, at * d[axis] + i, shortened, out);
    }
}

// The value is passed by reference: at -O1, g++ 12 for Windows forgets to store what a caller that isn't inlined would pass by
// value.
template <class T> double real_value(T const& value) {
    if constexpr (is_complex_type<T>) return static_cast<double>(value.real());
    else return static_cast<double>(value);
}

template <class T> std::vector<std::string> format_all(std::vector<T> const& values) {
    std::vector<std::string> out;
    if constexpr (is_dual(dtype_of<T>)) {
        std::vector<typename T::value_type> parts, tangents;
        for (T const& value : values) parts.push_back(value.value), tangents.push_back(value.tangent);
        out = format_all(parts);
        std::vector<std::string> const behind = format_all(tangents);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = dual_text(out[i], behind[i]);
    } else if constexpr (std::is_same_v<T, std::string>) {
        for (T const& value : values) out.push_back(detail::quoted(value));
    } else if constexpr (is_inexact(dtype_of<T>)) {
        std::vector<double> real;
        for (T const value : values) real.push_back(real_value(value));
        if constexpr (is_complex_type<T>) {
            std::vector<double> imaginary;
            for (T const value : values) imaginary.push_back(static_cast<double>(value.imag()));
            return format_complex(real, imaginary, real_part(dtype_of<T>));
        } else return format_floats(real, dtype_of<T>, false);
    } else {
        for (T const value : values) {
            if constexpr (std::is_same_v<T, bool>) out.push_back(value ? "True" : "False");
            else out.push_back(std::to_string(value));
        }
        align_right(out);
        if constexpr (std::is_same_v<T, bool>)
            for (std::string& word : out) word.insert(0, 5 - word.size(), ' ');
    }
    return out;
}

template <class T> std::string format_one(T const& value) {
    if constexpr (std::is_same_v<T, bool>) return value ? "True" : "False";
    else if constexpr (std::is_same_v<T, std::string>) return value;
    else if constexpr (is_dual(dtype_of<T>)) return dual_text(format_one(value.value), format_one(value.tangent));
    else if constexpr (is_complex_type<T>) {
        dtype const type = real_part(dtype_of<T>);
        double const real = real_value(value);
        if (real == 0 && !std::signbit(real)) return format_scalar(static_cast<double>(value.imag()), type, false, "") + "j";
        std::string out(1, '('); // At -O3, g++ 12 takes an insertion in front for an overlap, and warns.
        out += format_scalar(real, type, false, "");
        out += format_scalar(static_cast<double>(value.imag()), type, true, "");
        return out += "j)";
    } else if constexpr (is_inexact(dtype_of<T>)) return format_scalar(real_value(value), dtype_of<T>);
    else return std::to_string(value);
}

} // namespace detail

// Gives the tensor as NumPy prints it. Throws trace_error for a symbolic tensor.
template <class T, class Shape> [[nodiscard]] std::string to_string(tensor<T, Shape> const& a) {
    if (!detail::tensor_access::has_values(a)) detail::throw_symbolic("print");
    dims const d = a.dimensions();
    if (d.rank == 0) return detail::format_one(T(*a.data()));
    if (a.size() == 0) return "[]";
    bool const shortened = a.size() > detail::print_threshold;
    std::vector<T> values;
    detail::append_shown(a, d, 0, 0, shortened, values);
    std::vector<std::string> const words = detail::format_all(values);
    return detail::laid_out(d, shortened, words);
}

template <class Traits, class T, class Shape>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, tensor<T, Shape> const& a) {
    std::string const text = to_string(a);
    return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/base/print_bodies.hpp>
#endif
