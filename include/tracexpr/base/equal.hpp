// This file tells whether two tensors are the same. That is a plain question on values, which no trace records.
#pragma once

#include <tracexpr/base/tensor.hpp>

namespace tx {

namespace detail {
// Two types can be compared if both are numbers, which are promoted to a common dtype, or both are strings. A complex number
// can't be compared with a dual one.
template <class T, class U> concept comparable =
    std::same_as<T, U> || (dtype_of<T> != dtype::string && dtype_of<U> != dtype::string &&
                           !(is_complex_type<T> && is_dual(dtype_of<U>)) && !(is_dual(dtype_of<T>) && is_complex_type<U>));
template <class To, class From> constexpr To promoted(From const& value) {
    if constexpr (std::is_same_v<To, From>) return value;
    else if constexpr (!is_complex_type<To> && std::is_constructible_v<To, From>) return static_cast<To>(value);
    else if constexpr (!is_complex_type<To>) return static_cast<To>(static_cast<float>(value)); // a dual number of a half
    else if constexpr (is_complex_type<From>)
        return {promoted<typename To::value_type>(value.real()), promoted<typename To::value_type>(value.imag())};
    else return {static_cast<typename To::value_type>(value), 0};
}
} // namespace detail

// Tells whether a and b have the same shape and equal elements. Elements of two dtypes are compared in their common dtype. NaN
// differs from itself; -0.0 equals 0.0.
template <class T, class A, class U, class B> requires detail::comparable<T, U>
[[nodiscard]] constexpr bool equal(tensor<T, A> const& a, tensor<U, B> const& b) {
    using reader = detail::tensor_access;
    using common = detail::stored<ctype<promote(dtype_of<T>, dtype_of<U>)>>;
    if (!reader::has_values(a) || !reader::has_values(b)) detail::throw_symbolic("equal");
    if (a.dimensions() != b.dimensions()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (detail::promoted<common>(reader::value(a, i)) != detail::promoted<common>(reader::value(b, i))) return false;
    return true;
}

} // namespace tx
