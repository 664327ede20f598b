// This file maps elements to unsigned integers that have the same order, so that one algorithm sorts all dtypes.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/dual_number.hpp>
#include <tracexpr/base/half.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// The bits of a floating type's infinity: those of a NaN, without the sign, are greater. It is 0 for types without infinity.
template <class T> inline constexpr std::uint64_t infinite_bits = 0;
template <> inline constexpr std::uint64_t infinite_bits<half> = 0x7c00;
template <> inline constexpr std::uint64_t infinite_bits<bfloat16> = 0x7f80;
template <> inline constexpr std::uint64_t infinite_bits<float> = 0x7f800000;
template <> inline constexpr std::uint64_t infinite_bits<double> = 0x7ff0000000000000;

template <class T> struct sorted_by {
    static constexpr T const& value(T const& x) { return x; }
    using type = T;
};
template <class T> struct sorted_by<dual<T>> {
    static constexpr auto const& value(dual<T> const& x) { return sorted_by<T>::value(x.value); }
    using type = typename sorted_by<T>::type;
};

// NaN is greater than all numbers; its sign and payload are dropped. -0 comes before 0, unless the two are to be equal.
template <class T> struct key_rule {
    using key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    using bits = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    static constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1)),
                          infinity = static_cast<bits>(infinite_bits<T>),
                          nan = static_cast<bits>(infinite_bits<T> | (infinite_bits<T> & -infinite_bits<T>) >> 1);
    static constexpr bool is_floating = infinity != 0, is_signed = is_floating || std::is_signed_v<T>;

    template <bool ZerosAreEqual = false> static constexpr key of(T const& x) {
        bits b = std::bit_cast<bits>(x);
        if constexpr (is_floating) {
            bits const magnitude = static_cast<bits>(b & ~sign);
            b = magnitude > infinity ? nan : b;
            if constexpr (ZerosAreEqual) b = magnitude == 0 ? magnitude : b;
            return static_cast<bits>(b ^ (b & sign ? static_cast<bits>(~bits{}) : sign));
        } else return static_cast<bits>(is_signed ? b ^ sign : b);
    }
    static constexpr T back(key k) {
        bits const b = static_cast<bits>(k);
        if constexpr (is_floating) return std::bit_cast<T>(static_cast<bits>(b ^ (b & sign ? sign : static_cast<bits>(~bits{}))));
        else return std::bit_cast<T>(static_cast<bits>(is_signed ? b ^ sign : b));
    }
};

// placed_key is an element of a row by its key and its place; of equal keys the first place comes first.
template <class Key> struct placed_key {
    Key key;
    std::int64_t place;
    friend bool operator<(placed_key const& a, placed_key const& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
