// What an op or a call gives where a static_assert has refused it: a value that takes part in whatever is written with a result, and gives
// itself again, so that the compiler's first message stays its only one. No program that compiles has one.
#pragma once

#include <tracexpr/base/shape.hpp>

#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tx::detail {

struct failed {
    using value_type = float;
    using shape_type = any_shape;

    constexpr failed() = default;
    // To anything, but it is no text.
    template <class T> requires(!std::is_reference_v<T> && !std::is_same_v<T, std::string_view>) constexpr operator T() const { throw "never called"; }

    template <class... A> constexpr failed operator()(A&&...) const { return {}; }
    template <class I> constexpr failed operator[](I&&) const { return {}; }
    constexpr failed operator*() const { return {}; }
    template <class A> constexpr failed& operator=(A&&) { return *this; }

    // Of tensors,
    template <class... A> constexpr failed extent(A&&...) const { return {}; }
    constexpr failed extents() const { return {}; }
    constexpr failed dimensions() const { return {}; }
    constexpr failed rank() const { return {}; }
    constexpr failed size() const { return {}; }
    constexpr failed data() const { return {}; }
    constexpr failed mutable_data() const { return {}; }
    constexpr failed item() const { return {}; }
    constexpr failed value() const { return {}; }
    constexpr failed begin() const { return {}; }
    constexpr failed end() const { return {}; }
    // of pairs,
    static failed const first, second;
    template <std::size_t> constexpr failed get() const { return {}; }
    // of functions and traces.
    template <class...> constexpr failed concrete() const { return {}; }
    template <class... A> constexpr void into(A&&...) const {}
    constexpr failed graph() const { return {}; }
    constexpr failed trace() const { return {}; }
    constexpr failed signature() const { return {}; }
    constexpr failed to_text() const { return {}; }
    constexpr failed to_dot() const { return {}; }
    constexpr failed to_json() const { return {}; }
    constexpr failed explain_passes() const { return {}; }
};

template <class A> concept is_failed = std::is_same_v<std::remove_cvref_t<A>, failed>;
template <class... A> concept any_failed = (is_failed<A> || ...);

template <class A, class B> requires any_failed<A, B> constexpr failed operator+(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator-(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator*(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator/(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator%(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator==(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator!=(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator<(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator<=(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator>(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator>=(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator&&(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator||(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator&(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator|(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator^(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A, B> constexpr failed operator>>(A&&, B&&) { return {}; }
// A stream stays one: std::endl follows.
template <class A, class B> requires any_failed<A, B> constexpr decltype(auto) operator<<(A&& a, B&&) {
    if constexpr (requires { a.rdbuf(); }) return (a);
    else return failed{};
}
template <class A> requires any_failed<A> constexpr failed operator-(A&&) { return {}; }
template <class A> requires any_failed<A> constexpr failed operator+(A&&) { return {}; }
template <class A> requires any_failed<A> constexpr failed operator!(A&&) { return {}; }
template <class A> requires any_failed<A> constexpr failed operator~(A&&) { return {}; }
template <class A> requires any_failed<A> constexpr failed operator++(A&&) { return {}; }
template <class A, class B> requires any_failed<A> constexpr failed operator+=(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A> constexpr failed operator-=(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A> constexpr failed operator*=(A&&, B&&) { return {}; }
template <class A, class B> requires any_failed<A> constexpr failed operator/=(A&&, B&&) { return {}; }

} // namespace tx::detail

// auto [value, gradient] = ...
template <> struct std::tuple_size<tx::detail::failed> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I> struct std::tuple_element<I, tx::detail::failed> { using type = tx::detail::failed; };
