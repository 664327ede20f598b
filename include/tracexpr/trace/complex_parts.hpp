// This file holds real, imag and conj. For a real number they are the number itself, zero, and the number itself.
#pragma once

#include <tracexpr/trace/pointwise.hpp>

namespace tx {
namespace detail {

template <op Code> struct part_of_real_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        if constexpr (Code == op::imag) return where_fn{}(false, a, typename A::value_type{});
        else return a;
    }
};

inline namespace TRACEXPR_CALLS {
template <op Code, class A> constexpr auto part_of(A const& a) {
    if constexpr (any_unusable<A>) {
        return used<A>();
    } else {
        constexpr dtype type = dtype_of_operand<A>;
        constexpr bool are_numbers = type != dtype::string;
        static_assert(are_numbers, "tx: real, imag and conj take numbers");
        if constexpr (is_complex(type)) return pointwise<Code>(a);
        else return detail::apply_if<are_numbers>(part_of_real_fn<Code>{}, a);
    }
}
} // namespace TRACEXPR_CALLS

// Makes a complex number of two real ones without arithmetic between the parts, so infinities, NaN and the signs of zeros are
// preserved. It is (x, -0) + (-0, y), as adding -0 changes no number; the product in x + y i would make NaN of an infinite y.
struct complex_of_parts_fn {
    template <class A> constexpr auto operator()(A const& re, A const& im) const {
        using T = std::complex<typename A::value_type>;
        return pointwise_fn<op::conj>{}(cast_to<T>(re)) + pointwise_fn<op::times_i>{}(cast_to<T>(im));
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

template <elementwise A> [[nodiscard]] constexpr auto real(A const& a) { return detail::part_of<op::real>(a); }
// The imaginary part; it is 0 for real numbers.
template <elementwise A> [[nodiscard]] constexpr auto imag(A const& a) { return detail::part_of<op::imag>(a); }
// The complex conjugate; a real number is its own.
template <elementwise A> [[nodiscard]] constexpr auto conj(A const& a) { return detail::part_of<op::conj>(a); }

} // namespace TRACEXPR_CALLS
} // namespace tx
