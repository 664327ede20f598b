// This file holds the types of elements in device code, and the functions of two elements for scans, sums and searches, which
// compute what the CPU's kernels do.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/thrust/system.hpp>

#include <complex>
#include <type_traits>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// A complex number for device code, where std::complex can't be used.
template <class R> struct complex_pair {
    R real, imaginary;
    TRACEXPR_HD friend constexpr complex_pair operator+(complex_pair a, complex_pair b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
    TRACEXPR_HD friend constexpr complex_pair operator*(complex_pair a, complex_pair b) {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
};
template <class T> struct device_number_of {
    using type = T;
};
template <class R> struct device_number_of<std::complex<R>> {
    using type = std::conditional_t<on_gpu, complex_pair<R>, std::complex<R>>;
};
// The type of an element in device code; it has the same bytes as T.
template <class T> using device_number = typename device_number_of<T>::type;
template <class T> device_number<T>* device_numbers(T* elements) { return reinterpret_cast<device_number<T>*>(elements); }
template <class T> device_number<T> const* device_numbers(T const* elements) {
    return reinterpret_cast<device_number<T> const*>(elements);
}

template <class T> TRACEXPR_HD constexpr bool is_not_a_number(T const& value) {
    if constexpr (std::is_integral_v<T>) return false;
    else return !(value == value);
}

// The unsigned type in which sums and products of integers are computed, so that they wrap. Device code multiplies 32 bits at
// once.
template <class T> using device_wrapping = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

// For bool a sum is "or", and a product is "and".
struct plus {
    TRACEXPR_CALLS_HOST
    template <class T> TRACEXPR_HD constexpr T operator()(T const& a, T const& b) const {
        if constexpr (std::is_same_v<T, bool>) return a || b;
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<device_wrapping<T>>(a) + static_cast<device_wrapping<T>>(b));
        else return a + b;
    }
};
struct times {
    TRACEXPR_CALLS_HOST
    template <class T> TRACEXPR_HD constexpr T operator()(T const& a, T const& b) const {
        if constexpr (std::is_same_v<T, bool>) return a && b;
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<device_wrapping<T>>(a) * static_cast<device_wrapping<T>>(b));
        else return a * b;
    }
};
// If one of the two is NaN it is the result, the first one if both are.
struct maximum_or_nan {
    template <class T> TRACEXPR_HD constexpr T operator()(T const& a, T const& b) const {
        return a >= b || is_not_a_number(a) ? a : b;
    }
};
struct minimum_or_nan {
    template <class T> TRACEXPR_HD constexpr T operator()(T const& a, T const& b) const {
        return a <= b || is_not_a_number(a) ? a : b;
    }
};

// Does an element replace the best one before it? A NaN does, unless the best one is NaN.
struct greatest {
    template <class T> TRACEXPR_HD static constexpr bool replaces(T const& value, T const& best) {
        return !(value <= best) && !is_not_a_number(best);
    }
};
struct least {
    template <class T> TRACEXPR_HD static constexpr bool replaces(T const& value, T const& best) {
        return !(value >= best) && !is_not_a_number(best);
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
