// This file maps each dtype to its C++ type and back.
#pragma once

#include <tracexpr/base/dtype.hpp>
#include <tracexpr/base/dual_number.hpp>
#include <tracexpr/base/half.hpp>
#include <tracexpr/base/interned.hpp>

#include <complex>
#include <concepts>
#include <type_traits>

namespace tx {

namespace detail {
template <dtype> struct ctype_of;
template <> struct ctype_of<dtype::boolean> {
    using type = bool;
};
template <> struct ctype_of<dtype::int8> {
    using type = std::int8_t;
};
template <> struct ctype_of<dtype::int16> {
    using type = std::int16_t;
};
template <> struct ctype_of<dtype::int32> {
    using type = std::int32_t;
};
template <> struct ctype_of<dtype::int64> {
    using type = std::int64_t;
};
template <> struct ctype_of<dtype::uint8> {
    using type = std::uint8_t;
};
template <> struct ctype_of<dtype::uint16> {
    using type = std::uint16_t;
};
template <> struct ctype_of<dtype::uint32> {
    using type = std::uint32_t;
};
template <> struct ctype_of<dtype::uint64> {
    using type = std::uint64_t;
};
template <> struct ctype_of<dtype::float16> {
    using type = half;
};
template <> struct ctype_of<dtype::bfloat16> {
    using type = bfloat16;
};
template <> struct ctype_of<dtype::float32> {
    using type = float;
};
template <> struct ctype_of<dtype::float64> {
    using type = double;
};
template <> struct ctype_of<dtype::complex64> {
    using type = std::complex<float>;
};
template <> struct ctype_of<dtype::complex128> {
    using type = std::complex<double>;
};
template <> struct ctype_of<dtype::string> {
    using type = std::string;
};
struct no_element {};
template <> struct ctype_of<dtype::token> {
    using type = no_element;
};
template <> struct ctype_of<dtype::dual_float32> {
    using type = dual<float>;
};
template <> struct ctype_of<dtype::dual_float64> {
    using type = dual<double>;
};
template <> struct ctype_of<dtype::dual_dual_float32> {
    using type = dual<dual<float>>;
};
template <> struct ctype_of<dtype::dual_dual_float64> {
    using type = dual<dual<double>>;
};

template <class T> constexpr int dtype_index() {
    if constexpr (std::is_same_v<T, bool>) return static_cast<int>(dtype::boolean);
    else if constexpr (std::is_same_v<T, half>) return static_cast<int>(dtype::float16);
    else if constexpr (std::is_same_v<T, bfloat16>) return static_cast<int>(dtype::bfloat16);
    else if constexpr (std::is_same_v<T, float>) return static_cast<int>(dtype::float32);
    else if constexpr (std::is_same_v<T, double>) return static_cast<int>(dtype::float64);
    else if constexpr (std::is_same_v<T, std::complex<float>>) return static_cast<int>(dtype::complex64);
    else if constexpr (std::is_same_v<T, std::complex<double>>) return static_cast<int>(dtype::complex128);
    else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, interned>) return static_cast<int>(dtype::string);
    else if constexpr (std::is_same_v<T, dual<float>>) return static_cast<int>(dtype::dual_float32);
    else if constexpr (std::is_same_v<T, dual<double>>) return static_cast<int>(dtype::dual_float64);
    else if constexpr (std::is_same_v<T, dual<dual<float>>>) return static_cast<int>(dtype::dual_dual_float32);
    else if constexpr (std::is_same_v<T, dual<dual<double>>>) return static_cast<int>(dtype::dual_dual_float64);
    else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
                       !std::is_same_v<T, char8_t> && !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>) {
        constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<int>(std::is_signed_v<T> ? dtype::int8 : dtype::uint8) + log2_size;
    } else return -1;
}
} // namespace detail

template <dtype Type> using ctype = typename detail::ctype_of<Type>::type;

// `element` is a type that a tensor can hold.
template <class T> concept element = detail::dtype_index<std::remove_cv_t<T>>() >= 0;
// A character, such as 'a', is to an op the number that C++'s arithmetic makes of it. No tensor holds it.
template <class A> concept character_type = std::is_integral_v<std::remove_cvref_t<A>> && !element<std::remove_cvref_t<A>>;
template <element T> inline constexpr dtype dtype_of = static_cast<dtype>(detail::dtype_index<std::remove_cv_t<T>>());

// `canonical` is the dtype's canonical C++ type: `long long` and `long` are both std::int64_t.
template <element T> using canonical = ctype<dtype_of<T>>;

} // namespace tx
