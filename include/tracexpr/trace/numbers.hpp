// This file holds overloads that are called with numbers for axes, extents and the like, as in NumPy. The compiler must know
// these, so each overload explains in an error how to write the call.
#pragma once

#include <tracexpr/trace/axes.hpp>

namespace tx {
namespace detail {

template <class A, class... Number> concept called_with_numbers = array_operand<A> && sizeof...(Number) > 0 &&
                                                                  (std::integral<Number> && ...);
template <class... Number> constexpr failed refuse_numbers() {
    static_assert(always_false<Number...>,
                  "tx: axes, extents and the like are template arguments, so that the compiler knows the result's shape: write "
                  "tx::sum(x, tx::axis<0>), tx::tile<2, 3>(x), tx::concat(tx::axis<0>, a, b)");
    return {};
}
template <class Number> constexpr failed refuse_extreme_of_two() {
    static_assert(
        always_false<Number>,
        "tx: max and min are those of one tensor, along tx::axis<0>; tx::maximum and tx::minimum choose between two values");
    return {};
}

} // namespace detail

template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto expand_dims(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto squeeze(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto transpose(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto permute(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto swapaxes(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto moveaxis(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...> [[nodiscard]] constexpr auto tile(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...> [[nodiscard]] constexpr auto repeat(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto diagonal(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...> [[nodiscard]] constexpr auto split(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto unstack(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...> [[nodiscard]] constexpr auto take(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...>
[[nodiscard]] constexpr auto one_hot(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <class A, class... N> requires detail::called_with_numbers<A, N...> [[nodiscard]] constexpr auto pad(A const&, N...) {
    return detail::refuse_numbers<N...>();
}
template <std::integral N, array_operand... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto concat(N, A const&...) {
    return detail::refuse_numbers<N>();
}
template <std::integral N, array_operand... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto stack(N, A const&...) {
    return detail::refuse_numbers<N>();
}
template <array_operand A, array_operand B, std::integral N> [[nodiscard]] constexpr auto concat(A const&, B const&, N) {
    return detail::refuse_numbers<N>();
}
template <array_operand A, array_operand B, std::integral N> [[nodiscard]] constexpr auto stack(A const&, B const&, N) {
    return detail::refuse_numbers<N>();
}
template <class A, class B> requires operands<A, B> [[nodiscard]] constexpr auto max(A const&, B const&) {
    return detail::refuse_extreme_of_two<B>();
}
template <class A, class B> requires operands<A, B> [[nodiscard]] constexpr auto min(A const&, B const&) {
    return detail::refuse_extreme_of_two<B>();
}

} // namespace tx
