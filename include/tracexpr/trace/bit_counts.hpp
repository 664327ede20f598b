// This file holds functions that count the bits of integers: those that are 1, and those that are 0 at either end.
#pragma once

#include <tracexpr/trace/pointwise.hpp>

namespace tx {
namespace detail {

struct bitwise_count_fn {
    static constexpr char const* called = "bitwise_count";
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        if constexpr (std::is_same_v<T, bool>) return cast_fn<std::uint8_t>{}(a);
        else return cast_fn<std::uint8_t>{}(population_count(abs(a)));
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// How many bits are 1, counted as stored: negative numbers are in two's complement. The result has the operand's dtype.
template <elementwise A> [[nodiscard]] constexpr auto population_count(A const& a) {
    return detail::pointwise<op::population_count>(a);
}
// How many bits above the highest one are 0; for 0 it is the dtype's width. The result has the operand's dtype.
template <elementwise A> [[nodiscard]] constexpr auto count_leading_zeros(A const& a) {
    return detail::pointwise<op::count_leading_zeros>(a);
}
// How many bits below the lowest one are 0; for 0 it is the dtype's width. The result has the operand's dtype.
template <elementwise A> [[nodiscard]] constexpr auto count_trailing_zeros(A const& a) {
    return detail::pointwise<op::count_trailing_zeros>(a);
}
// How many bits of the absolute value are 1, as uint8 (NumPy's function). It takes bool, too.
template <elementwise A> [[nodiscard]] constexpr auto bitwise_count(A const& a) {
    constexpr dtype type = detail::traits<A>::type;
    constexpr bool has_bits = accepts(domain::integral, type);
    static_assert(has_bits, "tx: bitwise_count: takes integers and bool; cast the operand first");
    return detail::apply_if<has_bits>(detail::bitwise_count_fn{}, a);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
