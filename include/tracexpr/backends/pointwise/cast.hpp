// This file casts elements between any two dtypes.
#pragma once

#include <tracexpr/backends/pointwise/values.hpp>
#include <tracexpr/base/dual.hpp>

#include <limits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {
template <class To, class From> TRACEXPR_HD inline To cast_number(From x) {
    if constexpr (tx::detail::is_complex_number<From>) {
        if constexpr (tx::detail::is_complex_number<To>)
            return To(static_cast<typename To::value_type>(x.real()), static_cast<typename To::value_type>(x.imag()));
        else if constexpr (std::is_same_v<To, bool>) return x != From{};
        else return cast_number<To>(x.real());
    } else if constexpr (tx::detail::is_complex_number<To>) {
        return To(cast_number<typename To::value_type>(x), 0);
    } else if constexpr (is_small_float<From>) {
        return cast_number<To>(x.value());
    } else if constexpr (std::is_same_v<To, bool>) {
        return x != From{};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // A number that is out of range gives the nearest end of it, and NaN gives 0.
        constexpr From low = static_cast<From>(std::numeric_limits<To>::min()),
                       high = static_cast<From>(std::numeric_limits<To>::max());
        return x != x      ? To(0)
               : x <= low  ? std::numeric_limits<To>::min()
               : x >= high ? std::numeric_limits<To>::max()
                           : static_cast<To>(x);
    } else {
        return static_cast<To>(x);
    }
}
} // namespace detail

template <class To, class From> TRACEXPR_HD inline To cast_element(From x) {
    constexpr int from_depth = dual_depth(dtype_of<From>), to_depth = dual_depth(dtype_of<To>);
    if constexpr (from_depth > to_depth) return cast_element<To>(x.value); // tangents are dropped, as imaginary parts are
    else if constexpr (from_depth < to_depth) return To(cast_element<typename To::value_type>(x));
    else if constexpr (to_depth > 0)
        return To(cast_element<typename To::value_type>(x.value), cast_element<typename To::value_type>(x.tangent));
    else return detail::cast_number<To>(x);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
