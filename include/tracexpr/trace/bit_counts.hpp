// How many bits of integers are 1, or are 0 at either end.
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

// Of the bits as they stand, of negative numbers in two's complement. These have their operand's dtype.
template <elementwise A>
[[nodiscard]] constexpr auto population_count(A const& a) { return detail::pointwise<op::population_count>(a); }
// The dtype's width for 0.
template <elementwise A>
[[nodiscard]] constexpr auto count_leading_zeros(A const& a) { return detail::pointwise<op::count_leading_zeros>(a); }
// How many bits below the lowest one are 0; the width where x is 0.
template <elementwise A> [[nodiscard]] constexpr auto count_trailing_zeros(A const& a) {
    return detail::pointwise<op::count_trailing_zeros>(a);
}
// NumPy's: how many bits of the absolute value are 1, as uint8. Of bool, too.
template <elementwise A> [[nodiscard]] constexpr auto bitwise_count(A const& a) {
    constexpr dtype type = detail::traits<A>::type;
    constexpr bool has_bits = accepts(domain::integral, type);
    static_assert(has_bits, "tx: bitwise_count: takes integers and bool; cast the operand first");
    return detail::apply_if<has_bits>(detail::bitwise_count_fn{}, a);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
