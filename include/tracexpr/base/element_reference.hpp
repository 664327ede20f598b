// What a(i, j) of a tensor that may be written to is: the element's value, and where it lies. What is assigned to a(i, j) itself
// goes to the tensor; auto x = a(i, j) is a value like any other, and stays one.
#pragma once

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

} // namespace detail

template <class Tensor> class element_reference : public detail::element_value<typename Tensor::value_type> {
    using base = detail::element_value<typename Tensor::value_type>;
    template <class Self> static constexpr bool is_own = std::is_same_v<std::remove_cvref_t<Self>, element_reference>;

public:
    using element_type = typename Tensor::value_type;

    constexpr element_reference(Tensor& of, std::int64_t number, element_type const& v) : base(v), of_{&of}, number_{number} {}
    // Not trivial: no compiler passes it to printf, then, as if it were a number.
    constexpr element_reference(element_reference const& other) : base(other), of_{other.of_}, number_{other.number_} {}

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
