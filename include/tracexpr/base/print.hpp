// This file prints tensors in NumPy's layout: what `str(array)` gives with NumPy 2's default print options (8 digits, lines of 75
// columns, and only the three elements at each edge if there are more than 1000). The rules are those of
// numpy/_core/arrayprint.py.
#pragma once

#include <tracexpr/base/line_handler.hpp>
#include <tracexpr/base/tensor.hpp>

#include <charconv>
#include <iosfwd>
#include <string>
#include <string_view>

namespace tx {
namespace detail {

// Gives the digits of a finite value, rounded exactly to `digits` digits after the point.
std::string digits_of(double value, std::chars_format format, int digits);
// Gives the fewest digits that tell a finite value of dtype `type` from its neighbours in that dtype.
std::string shortest_digits(double value, dtype type, std::chars_format format);
// Gives one number on its own, as Python prints it: "3.0", "1e+16".
std::string format_scalar(double value, dtype type, bool plus_sign = false, std::string_view no_fraction = ".0");
// Gives elements, which lie in row-major order, as NumPy prints a tensor of them.
std::string printed(dtype type, void const* elements, dims const& d);
// Gives a text as Python writes a string, or JSON. It is called with its namespace, because std::string makes std::quoted visible
// where <iomanip> is included.
std::string quoted(std::string_view text, bool json = false);
line_handler& printed_lines();

} // namespace detail

// Gives the tensor as NumPy prints it. Throws trace_error for a symbolic tensor.
template <class T, class Shape> [[nodiscard]] std::string to_string(tensor<T, Shape> const& a) {
    if (!detail::tensor_access::has_values(a)) detail::throw_symbolic("print");
    return detail::printed(dtype_of<T>, a.data(), a.dimensions());
}

namespace detail {
template <class Stream> void write_text(Stream& out, dtype type, void const* elements, dims const& d) {
    std::string const text = printed(type, elements, d);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}
} // namespace detail
template <class Traits, class T, class Shape>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, tensor<T, Shape> const& a) {
    if (!detail::tensor_access::has_values(a)) detail::throw_symbolic("print");
    detail::write_text(out, dtype_of<T>, a.data(), a.dimensions());
    return out;
}

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/base/print_bodies.hpp>
#endif
