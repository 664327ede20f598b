// This file has the value that an op or a call gives where a static_assert has refused it: `failed` can be used like any result
// and gives itself again, so that the compiler's first message stays the only one. `nothing` is what a function gives whose
// callable returns nothing; it does the same, but its first use is an error that says so.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/base/shape.hpp>

#include <array>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tx::detail {

template <bool Said> struct no_value;
using failed = no_value<true>;
using nothing = no_value<false>;
template <class A> inline constexpr bool is_no_value = false;
template <bool Said> inline constexpr bool is_no_value<no_value<Said>> = true;
template <class A> concept is_failed = is_no_value<std::remove_cvref_t<A>>;
template <class... A> concept any_failed = (is_failed<A> || ...);
// This is a std::vector, std::array or C array of elements, or of such containers. Ops accept it to say in words that it is no
// operand.
template <class A> inline constexpr bool is_container = false;
template <class T> inline constexpr bool is_in_container = element<T> || is_container<T>;
template <class T, class Allocator> inline constexpr bool is_container<std::vector<T, Allocator>> = is_in_container<T>;
template <class T, std::size_t N> inline constexpr bool is_container<std::array<T, N>> = is_in_container<T>;
template <class T, std::size_t N> inline constexpr bool is_container<T[N]> = is_in_container<T>;
template <class A> concept container_type = is_container<std::remove_cvref_t<A>>;
// container_traits holds the traits of a container's innermost elements, for code that checks operands' types; any shape passes.
template <class A> struct container_traits : container_traits<std::remove_cvref_t<decltype(std::declval<A const&>()[0])>> {};
template <element A> struct container_traits<A> {
    using shape_type = any_shape;
    static constexpr dtype type = dtype_of<A>;
    static constexpr bool weak = false;
};
// An op computes nothing if it is given one of these: either there is an error already, or used() has one to report.
template <class... A> concept any_unusable = any_failed<A...> || (container_type<A> || ...);
template <class A> inline constexpr bool is_nothing = std::is_same_v<std::remove_cvref_t<A>, nothing>;

// Reports the error, if it isn't reported yet, when such a value is used.
template <class... A> constexpr failed used();

template <bool Said> struct no_value {
    using value_type = float;
    using shape_type = any_shape;

    constexpr no_value() = default;
    // It converts to anything except a text.
    template <class T> requires(!std::is_reference_v<T> && !std::is_same_v<T, std::string_view>) constexpr operator T() const {
        used<no_value>();
        throw "never called";
    }

    template <class... A> constexpr failed operator()(A&&...) const { return used<no_value>(); }
    template <class I> constexpr failed operator[](I&&) const { return used<no_value>(); }
    template <class A> constexpr no_value& operator=(A&&) { return used<no_value>(), *this; }

    // These are members of tensors.
    template <class... A> constexpr failed extent(A&&...) const { return used<no_value>(); }
    template <class Unused = void> constexpr failed extents() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed dimensions() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed rank() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed size() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed data() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed mutable_data() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed item() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed value() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed begin() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed end() const { return used<no_value>(); }
    // These are members of pairs.
    static failed const first, second;
    template <std::size_t> constexpr failed get() const { return used<no_value>(); }
    // These are members of functions and traces.
    template <class...> constexpr failed concrete() const { return used<no_value>(); }
    template <class... A> constexpr void into(A&&...) const { used<no_value>(); }
    template <class Unused = void> constexpr failed graph() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed trace() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed signature() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed to_text() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed to_dot() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed to_svg() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed to_html() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed to_json() const { return used<no_value>(); }
    template <class Unused = void> constexpr failed explain_passes() const { return used<no_value>(); }
};

template <class... A> constexpr failed used() {
    static_assert(!(is_nothing<A> || ...),
                  "tx: function: the callable returns nothing, so the call has no value; return it from the callable");
    static_assert(!(container_type<A> || ...), "tx: ops take tensors, exprs and C++ numbers, and no std::vector, std::array or C "
                                               "array v; write tx::from_range(v)");
    return {};
}

template <class A, class B> requires any_failed<A, B> constexpr failed operator+(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator-(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator*(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator/(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator%(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator==(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator!=(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator<(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator<=(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator>(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator>=(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator&&(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator||(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator&(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator|(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator^(A&&, B&&) { return used<A, B>(); }
template <class A, class B> requires any_failed<A, B> constexpr failed operator>>(A&&, B&&) { return used<A, B>(); }
// A stream stays a stream, so that std::endl may follow.
template <class A, class B> requires any_failed<A, B> constexpr decltype(auto) operator<<(A&& a, B&&) {
    used<A, B>();
    if constexpr (requires { a.rdbuf(); }) return (a);
    else return failed{};
}
template <class A> requires any_failed<A> constexpr failed operator-(A&&) { return used<A>(); }
template <class A> requires any_failed<A> constexpr failed operator+(A&&) { return used<A>(); }
template <class A> requires any_failed<A> constexpr failed operator!(A&&) { return used<A>(); }
template <class A> requires any_failed<A> constexpr failed operator~(A&&) { return used<A>(); }
template <class A> requires any_failed<A> constexpr failed operator*(A&&) { return used<A>(); }
template <class A> requires any_failed<A> constexpr failed operator++(A&&) { return used<A>(); }
template <class A, class B> requires any_failed<A> constexpr failed operator+=(A&&, B&&) { return used<A>(); }
template <class A, class B> requires any_failed<A> constexpr failed operator-=(A&&, B&&) { return used<A>(); }
template <class A, class B> requires any_failed<A> constexpr failed operator*=(A&&, B&&) { return used<A>(); }
template <class A, class B> requires any_failed<A> constexpr failed operator/=(A&&, B&&) { return used<A>(); }

} // namespace tx::detail

namespace tx {
template <class A, class B> requires detail::any_unusable<A, B> constexpr detail::failed equal(A const&, B const&) {
    return detail::used<A, B>();
}
} // namespace tx

// This is for auto [value, gradient] = ...
template <bool Said> struct std::tuple_size<tx::detail::no_value<Said>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I, bool Said> struct std::tuple_element<I, tx::detail::no_value<Said>> {
    using type = tx::detail::failed;
};
