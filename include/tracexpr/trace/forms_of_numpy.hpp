// This file holds overloads that are called as NumPy's functions are, where tracexpr's take a template argument or another form.
// Each overload explains in an error how to write the call.
#pragma once

#include <tracexpr/trace/axes.hpp>

#include <initializer_list>

namespace tx {
namespace detail {

template <class... A> constexpr failed refuse_missing_dtype() {
    static_assert(always_false<A...>,
                  "tx: zeros, ones, arange and linspace take the dtype as a template argument: write tx::zeros<float>(2, 3), "
                  "tx::arange<float>(10), tx::linspace<float>(0, 1, 5)");
    return {};
}
template <class... A> constexpr failed refuse_braced_extents() {
    static_assert(always_false<A...>,
                  "tx: extents and axes don't stand in braces: write tx::reshape<2, 3>(x), tx::zeros<float>(2, 3), tx::sum(x, "
                  "tx::axis<0, 1>), tx::transpose<1, 0>(x), or extents that only the run tells one by one, tx::reshape(x, n, 3)");
    return {};
}
template <class... A> constexpr failed refuse_braced_tensors() {
    static_assert(always_false<A...>,
                  "tx: concat, stack: take the tensors one by one behind the axis, tx::concat(tx::axis<0>, a, b), or in a "
                  "std::vector, tx::stack(tx::axis<0>, std::vector{a, b})");
    return {};
}
template <class... A> constexpr failed refuse_keepdims_flag() {
    static_assert(always_false<A...>,
                  "tx: the axes that a reduction keeps are asked for by tx::keepdims, and not by a bool: write "
                  "tx::sum(x, tx::axis<1>, tx::keepdims)");
    return {};
}
template <class... A> constexpr failed refuse_subscripts_as_argument() {
    static_assert(
        always_false<A...>,
        "tx: einsum: the subscripts are a template argument, which the compiler reads: write tx::einsum<\"ij,j->i\">(x, y)");
    return {};
}
template <class... A> constexpr failed refuse_where_of_two() {
    static_assert(always_false<A...>,
                  "tx: where: takes a condition and both values, tx::where(x > 0, x, 0); the elements where a "
                  "condition holds are tx::compress(x > 0, x)");
    return {};
}

} // namespace detail

template <std::same_as<void> None = void, class... N> requires(sizeof...(N) > 0 && (std::integral<N> && ...))
[[nodiscard]] constexpr auto zeros(N...) {
    return detail::refuse_missing_dtype<N...>();
}
template <std::same_as<void> None = void, class... N> requires(sizeof...(N) > 0 && (std::integral<N> && ...))
[[nodiscard]] constexpr auto ones(N...) {
    return detail::refuse_missing_dtype<N...>();
}
template <std::same_as<void> None = void, class... N> requires(sizeof...(N) > 0 && (scalar_type<N> && ...))
[[nodiscard]] constexpr auto arange(N...) {
    return detail::refuse_missing_dtype<N...>();
}
template <std::same_as<void> None = void, class... N> requires(sizeof...(N) > 1 && (scalar_type<N> && ...))
[[nodiscard]] constexpr auto linspace(N...) {
    return detail::refuse_missing_dtype<N...>();
}

template <element T, std::integral N> [[nodiscard]] constexpr auto zeros(std::initializer_list<N>) {
    return detail::refuse_braced_extents<N>();
}
template <element T, std::integral N> [[nodiscard]] constexpr auto ones(std::initializer_list<N>) {
    return detail::refuse_braced_extents<N>();
}
template <array_operand A, std::integral N> [[nodiscard]] constexpr auto reshape(A const&, std::initializer_list<N>) {
    return detail::refuse_braced_extents<A>();
}
template <array_operand A, std::integral N> [[nodiscard]] constexpr auto transpose(A const&, std::initializer_list<N>) {
    return detail::refuse_braced_extents<A>();
}
template <array_operand A, std::integral N> [[nodiscard]] constexpr auto sum(A const&, std::initializer_list<N>) {
    return detail::refuse_braced_extents<A>();
}
template <array_operand A, std::integral N> [[nodiscard]] constexpr auto mean(A const&, std::initializer_list<N>) {
    return detail::refuse_braced_extents<A>();
}
template <array_operand A, std::integral N> [[nodiscard]] constexpr auto max(A const&, std::initializer_list<N>) {
    return detail::refuse_braced_extents<A>();
}
template <array_operand A, std::integral N> [[nodiscard]] constexpr auto min(A const&, std::initializer_list<N>) {
    return detail::refuse_braced_extents<A>();
}

template <array_operand A> [[nodiscard]] constexpr auto concat(std::initializer_list<A>) {
    return detail::refuse_braced_tensors<A>();
}
template <array_operand A> [[nodiscard]] constexpr auto stack(std::initializer_list<A>) {
    return detail::refuse_braced_tensors<A>();
}
template <int Axis, array_operand A> [[nodiscard]] constexpr auto concat(axes_t<Axis>, std::initializer_list<A>) {
    return detail::refuse_braced_tensors<A>();
}
template <int Axis, array_operand A> [[nodiscard]] constexpr auto stack(axes_t<Axis>, std::initializer_list<A>) {
    return detail::refuse_braced_tensors<A>();
}

template <array_operand A, int... Axes> [[nodiscard]] constexpr auto sum(A const&, axes_t<Axes...>, std::same_as<bool> auto) {
    return detail::refuse_keepdims_flag<A>();
}
template <array_operand A, int... Axes> [[nodiscard]] constexpr auto mean(A const&, axes_t<Axes...>, std::same_as<bool> auto) {
    return detail::refuse_keepdims_flag<A>();
}
template <array_operand A, int... Axes> [[nodiscard]] constexpr auto max(A const&, axes_t<Axes...>, std::same_as<bool> auto) {
    return detail::refuse_keepdims_flag<A>();
}
template <array_operand A, int... Axes> [[nodiscard]] constexpr auto min(A const&, axes_t<Axes...>, std::same_as<bool> auto) {
    return detail::refuse_keepdims_flag<A>();
}

template <class... A> [[nodiscard]] constexpr auto einsum(char const*, A const&...) {
    return detail::refuse_subscripts_as_argument<A...>();
}
template <array_operand C, operand X> [[nodiscard]] constexpr auto where(C const&, X const&) {
    return detail::refuse_where_of_two<X>();
}

} // namespace tx
