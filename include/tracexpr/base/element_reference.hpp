// What a(i, j) of a tensor that may be written to is: the element's value, and where it lies. What is assigned to a(i, j) itself
// goes to the tensor; auto x = a(i, j) is a value like any other, and stays one.
#pragma once

#include <tracexpr/base/element.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tx {
namespace detail {

// A class is a base, so that templates which take it, as the operators of std::complex are, take this.
template <class T> struct element_value : T {
    constexpr explicit element_value(T const& v) : T(v) {}
    constexpr T const& get() const { return *this; }
    constexpr T& get() { return *this; }
};
template <class T> requires std::is_arithmetic_v<T> class element_value<T> {
public:
    constexpr explicit element_value(T v) : value_{v} {}
    constexpr operator T() const { return value_; }
    constexpr T const& get() const { return value_; }
    constexpr T& get() { return value_; }

private:
    T value_;
};

template <class U> concept number_class = element<U> && std::is_class_v<U> && dtype_of<U> != dtype::string;
template <class U> concept real_class = number_class<U> && !is_complex(dtype_of<U>);
// A value is cast to a number directly, or as a double, which holds every half and bfloat16.
template <class T, class U> inline constexpr bool casts_directly = requires(T const& v) { static_cast<U>(v); };
template <class T, class U> concept casts_to =
    casts_directly<T, U> || (casts_directly<T, double> && std::is_constructible_v<U, double>);
template <class U, class T> constexpr U cast_number(T const& v) {
    if constexpr (casts_directly<T, U>) return static_cast<U>(v);
    else if constexpr (is_complex(dtype_of<U>)) return U(static_cast<typename U::value_type>(v));
    else return static_cast<U>(static_cast<double>(v));
}

} // namespace detail

template <class Tensor> class element_reference : public detail::element_value<typename Tensor::value_type> {
    using base = detail::element_value<typename Tensor::value_type>;
    template <class Self> static constexpr bool is_own = std::is_same_v<std::remove_cvref_t<Self>, element_reference>;

public:
    using element_type = typename Tensor::value_type;

    constexpr element_reference(Tensor& of, std::int64_t number, element_type const& v) : base(v), of_{&of}, number_{number} {}
    // Not trivial: no compiler passes it to printf, then, as if it were a number.
    constexpr element_reference(element_reference const& other) : base(other), of_{other.of_}, number_{other.number_} {}

    // static_cast makes any number of it. (The base of a C++ number makes others and std::complex, that of a dual other duals.)
    template <class U> requires(detail::real_class<U> || (std::is_class_v<element_type> &&
                                                          (std::is_arithmetic_v<U> || detail::number_class<U>)))
    constexpr explicit operator U() const
        requires(detail::casts_to<element_type, U> && !(detail::is_dual_number<element_type> && detail::is_dual_number<U>)) {
        return detail::cast_number<U>(base::get());
    }

    constexpr element_reference& operator=(element_type const& v) & { return base::get() = v, *this; }
    constexpr element_reference& operator=(element_reference const& other) & { return *this = other.get(); }
    constexpr element_reference&& operator=(element_type const& v) && {
        of_->mutable_data()[number_] = v;
        base::get() = v;
        return std::move(*this);
    }
    constexpr element_reference&& operator=(element_reference const& other) && { return std::move(*this) = other.get(); }

    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator+=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x + y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator-=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x - y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator*=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x * y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator/=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x / y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator%=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x % y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator&=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x & y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator|=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x | y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator^=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x ^ y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator<<=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x << y; });
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator>>=(Self&& a, V const& v) {
        return changed(std::forward<Self>(a), v, [](auto const& x, auto const& y) { return x >> y; });
    }
    template <class Self> requires is_own<Self> friend constexpr Self&& operator++(Self&& a) {
        return std::forward<Self>(a) += element_type(1);
    }
    template <class Self> requires is_own<Self> friend constexpr Self&& operator--(Self&& a) {
        return std::forward<Self>(a) -= element_type(1);
    }
    friend constexpr void swap(element_reference&& a, element_reference&& b) {
        element_type const before = a.get();
        std::move(a) = b.get();
        std::move(b) = before;
    }

private:
    template <class Self, class V, class F> static constexpr Self&& changed(Self&& a, V const& v, F const& f) {
        if constexpr (std::is_arithmetic_v<element_type> && std::is_arithmetic_v<V>) {
            using common = std::common_type_t<element_type, V>; // as C++ converts, without a warning
            std::forward<Self>(a) = static_cast<element_type>(f(static_cast<common>(a.get()), static_cast<common>(v)));
        } else {
            std::forward<Self>(a) = static_cast<element_type>(f(a.get(), v));
        }
        return std::forward<Self>(a);
    }

    Tensor* of_;
    std::int64_t number_;
};

template <class A> inline constexpr bool is_element_reference = false;
template <class Tensor> inline constexpr bool is_element_reference<element_reference<Tensor>> = true;

} // namespace tx
