// This file prints exprs, for users who debug a callable.
#pragma once

#include <tracexpr/graph/print.hpp>
#include <tracexpr/trace/apply.hpp>

namespace tx {

// Gives "float32[2,3]", with "?" for an unknown extent; while functions run eagerly (tx::run_eagerly) it gives the elements.
template <class T, class Shape> [[nodiscard]] std::string to_string(expr<T, Shape> const& e) {
    return e.scope().evaluate ? to_string(e.value()) : spec_text(dtype_of<T>, e.dimensions());
}
template <class Traits, class T, class Shape>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, expr<T, Shape> const& e) {
    std::string const text = to_string(e);
    return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace tx
