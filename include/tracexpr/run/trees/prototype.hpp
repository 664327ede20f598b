// This file makes an object of a type in a constant expression, which the compiler traces in place of the caller's object. Types
// without a value need no default constructor for it: structs without members, and lambdas that capture only such structs and
// lambdas. (Those are not std::is_empty, because captures have addresses.)
//
// Lambdas that hold only what tx::capture gives have such an object, too, which is never made: a constant evaluation may name it,
// and what lies within it, but not read it. Only what tx::capture gives can be copied from there.
#pragma once

#include <tracexpr/run/trees/fields.hpp>

#include <bit>

namespace tx::detail {

template <std::size_t Bytes, int Tag = 0> struct padding {
    struct {
    } bytes[Bytes];
};
template <int Tag> struct padding<0, Tag> {};
template <std::size_t Bytes> struct zero_bytes {
    unsigned char bytes[Bytes]{};
};

template <std::size_t Bit> struct one_bit {
    char : Bit;
    bool bit : 1;
    char : 7 - Bit;
};
template <> struct one_bit<0> {
    bool bit : 1;
    char : 7;
};
template <> struct one_bit<7> {
    char : 7;
    bool bit : 1;
};
template <class A, std::size_t Byte, class Piece> struct piece_of {
    [[no_unique_address]] padding<Byte, 0> before;
    Piece piece;
    [[no_unique_address]] padding<sizeof(A) - Byte - 1, 1> behind;
};
template <class A> constexpr bool is_cast(A const&) { return true; }
// Has A no bits that have a value? Making it of bits without a value is then a constant expression; but bytes, and bit-fields of
// them, are let through.
template <class A> concept made_of_padding =
    requires { typename std::bool_constant<is_cast(std::bit_cast<A>(padding<sizeof(A)>{}))>; };
// Does this piece of an A have a value? Only then is reading it a constant expression.
template <class A, std::size_t Byte, class Piece> concept has_piece = requires {
    typename std::bool_constant<is_cast(std::bit_cast<piece_of<A, Byte, Piece>>(std::bit_cast<A>(zero_bytes<sizeof(A)>{})))>;
};
template <class A, std::size_t... Bit> constexpr bool has_value_bits(std::index_sequence<Bit...>) {
    return ((Bit % 8 == 0 && has_piece<A, Bit / 8, char>) || ...) || (has_piece<A, Bit / 8, one_bit<Bit % 8>> || ...);
}

// Are all objects of the type alike?
template <class A> constexpr bool is_without_value() {
    constexpr std::size_t most_bytes = 16;
    if constexpr (std::is_empty_v<A>) return true;
    else if constexpr (!std::is_class_v<A> || !std::is_trivially_copyable_v<A> || sizeof(A) > most_bytes) return false;
    else if constexpr (!made_of_padding<A>) return false;
    else return !has_value_bits<A>(std::make_index_sequence<8 * sizeof(A)>{});
}
template <class A> inline constexpr bool is_stateless = is_without_value<A>();

template <class A> union unmade {
    char none;
    A object;
    constexpr unmade() : none{} {}
    constexpr ~unmade() {}
};
template <class A> inline constinit unmade<A> unmade_object{};
template <class A> constexpr bool is_copied_unread() {
    A const copy(unmade_object<A>.object);
    return static_cast<void>(copy), true;
}
template <class A> concept copied_unread = requires { typename std::bool_constant<is_copied_unread<A>()>; };
// nvcc's own front end reads all of a struct that it copies, so every callable passes here. What nvcc makes of it doesn't count,
// because the host's compiler checks again.
struct copied_as_told {
    constexpr copied_as_told() = default;
    constexpr copied_as_told(copied_as_told const&) {}
};
struct holds_copied_as_told {
    copied_as_told member;
};
// Does it hold nothing but what tx::capture gives? (This is not trivially copyable, so the test is not needed for most other
// types.)
template <class A> constexpr bool holds_captures_only() {
    if constexpr (!std::is_class_v<A> || is_stateless<A> || std::is_trivially_copyable_v<A>) return false;
    else if constexpr (std::is_default_constructible_v<A> || !std::is_copy_constructible_v<A>) return false;
    else return copied_unread<A> || !copied_unread<holds_copied_as_told>;
}
template <class A> inline constexpr bool holds_captures = holds_captures_only<A>();

template <class A> inline constexpr bool has_prototype =
    std::is_default_constructible_v<A> || (is_stateless<A> && std::is_trivially_copyable_v<A>);
template <class A> requires has_prototype<A> constexpr A prototype() {
    if constexpr (std::is_default_constructible_v<A>) return A{};
    else return std::bit_cast<A>(padding<sizeof(A)>{});
}

} // namespace tx::detail
