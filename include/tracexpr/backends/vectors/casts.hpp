// This file casts the values in a kernel's registers, as cast.hpp casts elements.
#pragma once

#include <tracexpr/backends/pointwise/cast.hpp>
#include <tracexpr/backends/vectors/values.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

// `target` is the target that a kernel is compiled for: lanes, the size of its widest element, the instruction set.
template <int Lanes, int MaskBytes, class Architecture> struct target {
    static constexpr int lanes = Lanes;
    static constexpr int mask_bytes = MaskBytes;
    using arch = Architecture;
    template <class T> using value_of = value<T, Lanes, MaskBytes>;
};

namespace detail {
// Returns the result of a comparison as the kernel's mask.
template <class Target, class V> TRACEXPR_INLINE auto as_mask(V const& comparison) {
    return convert_lanes<signed_of_size<Target::mask_bytes>, Target::lanes>(comparison);
}

// Lane i of a value of dtype T as an element.
template <class T, int W, class V> TRACEXPR_INLINE T element_at(V const& v, int i) {
    if constexpr (W == 1) return v;
    else if constexpr (is_small_float<T>) return T::from_bits(v[i]);
    else return static_cast<T>(v[i]); // a mask's -1 is true
}

// Converts floating lanes to integers: the fraction is cut, a number out of range gives the nearest end of it, and NaN gives 0.
template <class Arch, class To, class From, int W> TRACEXPR_INLINE lanes<To, W> saturated_lanes(lanes<From, W> const& v) {
    constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    lanes<From, W> const zero{}, low = static_cast<From>(least) - zero, high = static_cast<From>(most) - zero;
    if constexpr (sizeof(From) == 4 && sizeof(To) == 8) { // its masks have the width of a double
        lanes<double, W> doubles;
        convert_into<W>(doubles, v);
        return saturated_lanes<Arch, To, double, W>(doubles);
    } else if constexpr (sizeof(To) < 4) { // by way of a word, where NaN is a number whose lower half is 0
        return convert_lanes<To, W>(smaller_lanes<Arch, From, W>(high, larger_lanes<Arch, From, W>(low, v)));
    } else if constexpr (std::numeric_limits<To>::digits <= std::numeric_limits<From>::digits) {
        lanes<From, W> const number = std::is_signed_v<To> ? (v == v ? v : zero) : v;
        return convert_lanes<To, W>(smaller_lanes<Arch, From, W>(larger_lanes<Arch, From, W>(number, low), high));
    } else { // the floating-point number next to the largest integer is too large
        using mask = signed_of_size<sizeof(To)>;
        auto const raised = larger_lanes<Arch, From, W>(v, low); // a NaN is replaced, too
        auto const is_large = raised >= high;
        lanes<To, W> const whole = convert_lanes<To, W>(is_large ? zero : raised);
        lanes<To, W> const all = convert_lanes<mask, W>(is_large) ? most - lanes<To, W>{} : whole;
        if constexpr (std::is_unsigned_v<To>) return all;
        else return convert_lanes<mask, W>(v == v) ? all : lanes<To, W>{};
    }
}
} // namespace detail

// True if casts of T are done for all lanes at once.
template <class T> inline constexpr bool has_lanes =
    is_vectorizable<T> || std::is_same_v<T, bool> || detail::is_small_float<T> || tx::detail::is_complex_number<T>;
template <class To, class From> inline constexpr bool casts_vectors = has_lanes<To> && has_lanes<From>;

template <class Target, class To, class From, class V>
TRACEXPR_INLINE typename Target::template value_of<To> cast_value(V const& v) {
    constexpr int W = Target::lanes;
    using out = typename Target::template value_of<To>;
    constexpr bool saturates = std::is_floating_point_v<From> && std::is_integral_v<To>;
    if constexpr (W == 1) {
        return cast_element<To>(static_cast<From>(v));
    } else if constexpr (detail::is_small_float<From>) {
        return cast_value<Target, To, float>(detail::decoded<From, W>(v));
    } else if constexpr (tx::detail::is_complex_number<From>) {
        using part = typename From::value_type;
        if constexpr (tx::detail::is_complex_number<To>) {
            using to_part = typename To::value_type;
            return {cast_value<Target, to_part, part>(v.re), cast_value<Target, to_part, part>(v.im)};
        } else if constexpr (std::is_same_v<To, bool>) {
            return detail::as_mask<Target>((v.re != decltype(v.re){}) | (v.im != decltype(v.im){}));
        } else {
            return cast_value<Target, To, part>(v.re);
        }
    } else if constexpr (tx::detail::is_complex_number<To>) {
        return {cast_value<Target, typename To::value_type, From>(v), decltype(out::im){}};
    } else if constexpr (detail::is_small_float<To> && casts_vectors<To, From>) {
        if constexpr (std::is_same_v<From, bool>) return detail::encoded<To, W>(cast_value<Target, float, From>(v));
        else return detail::encoded_number<To, W>(v);
    } else if constexpr (is_vectorizable<To> && std::is_same_v<From, bool>) {
        return convert_lanes<To, W>(-v);
    } else if constexpr (is_vectorizable<To> && is_vectorizable<From> && saturates) {
        return detail::saturated_lanes<typename Target::arch, To, From, W>(v);
    } else if constexpr (is_vectorizable<To> && is_vectorizable<From>) {
        return convert_lanes<To, W>(v);
    } else if constexpr (std::is_same_v<To, bool> && is_vectorizable<From>) {
        return detail::as_mask<Target>(v != V{});
    } else {
        To some[W];
        for (int i = 0; i < W; ++i) some[i] = cast_element<To>(detail::element_at<From, W>(v, i));
        return load_value<To, W, Target::mask_bytes>(some);
    }
    static_assert(sizeof(out) > 0);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
