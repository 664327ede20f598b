// This file has pack, a list of values or references of several types that is passed on as arguments. It holds less than
// std::tuple can do, and takes the compiler a tenth of the time.
#pragma once

#include <cstddef>
#include <utility>

namespace tx::detail {

template <std::size_t, class T> struct pack_part {
    T value;
};
template <class Numbers, class... T> struct numbered_pack;
template <std::size_t... I, class... T> struct numbered_pack<std::index_sequence<I...>, T...> : pack_part<I, T>... {
    // Calls f(each value...).
    template <class F> constexpr decltype(auto) pass_to(F const& f) const {
        return f(static_cast<pack_part<I, T> const&>(*this).value...);
    }
};
// Braces initialise the values in order, from left to right: pack<A, B>{{a}, {b}}.
template <class... T> using pack = numbered_pack<std::index_sequence_for<T...>, T...>;

} // namespace tx::detail
