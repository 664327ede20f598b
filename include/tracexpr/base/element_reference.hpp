// This file has what a(i, j) gives for a tensor that may be written to: the element's value, and a reference to its place. An
// assignment to a(i, j) itself goes to the tensor, and gradient tapes that know the tensor are told of it. auto x = a(i, j) is a
// value like any other and stays one.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/base/element_write.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tx {
namespace detail {

// A class is made a base, so that templates which take the class, such as the operators of std::complex, take this type, too.
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

template <element_change Change> struct arithmetic {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        if constexpr (Change == element_change::added) return x + y;
        else if constexpr (Change == element_change::subtracted) return x - y;
        else if constexpr (Change == element_change::multiplied) return x * y;
        else return x / y;
    }
};
template <class U> concept number_class = element<U> && std::is_class_v<U> && dtype_of<U> != dtype::string;
template <class U> concept real_class = number_class<U> && !is_complex(dtype_of<U>);
// An element is cast to a number directly, or as a double, which holds every half and bfloat16.
template <class T, class U> inline constexpr bool casts_directly = requires(T const& v) { static_cast<U>(v); };
template <class T, class U> concept casts_to =
    casts_directly<T, U> || (casts_directly<T, double> && std::is_constructible_v<U, double>);
template <class U, class T> constexpr U number_from_element(T const& v) {
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

    constexpr element_reference(Tensor& of, std::int64_t number, element_type const& v)
        : base(v), of_{&of}, number_{number}, known_{of.identity_.is_numbered() ? of.identity_.number() : 0} {}
    // The copy constructor isn't trivial, so no compiler passes this to printf as if it were a number.
    constexpr element_reference(element_reference const& other)
        : base(other), of_{other.of_}, number_{other.number_}, known_{other.known_} {}

    // static_cast converts this to any number type. (The base of a C++ number converts to others and std::complex, that of a dual
    // to other duals.)
    template <class U> requires(detail::real_class<U> || (std::is_class_v<element_type> &&
                                                          (std::is_arithmetic_v<U> || detail::number_class<U>)))
    constexpr explicit operator U() const
        requires(detail::casts_to<element_type, U> && !(detail::is_dual_number<element_type> && detail::is_dual_number<U>)) {
        return detail::number_from_element<U>(base::get());
    }

    constexpr element_reference& operator=(element_type const& v) & { return base::get() = v, *this; }
    constexpr element_reference& operator=(element_reference const& other) & { return *this = other.get(); }
    constexpr element_reference&& operator=(element_type const& v) && {
        return write(v, change::assigned, v), std::move(*this);
    }
    constexpr element_reference&& operator=(element_reference const& other) && { return std::move(*this) = other.get(); }
    // For a(0) = b(1) tapes see what was read and what was written in one expression.
    template <class Other> requires(std::is_same_v<typename Other::value_type, element_type> ||
                                    (std::is_floating_point_v<element_type> &&
                                     std::is_floating_point_v<typename Other::value_type>))
    constexpr element_reference&& operator=(element_reference<Other>&& other) && {
        auto const v = static_cast<element_type>(other.get());
        return write(v, change::assigned, v, other.source()), std::move(*this);
    }

    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator+=(Self&& a, V const& v) {
        return computed<change::added>(std::forward<Self>(a), v);
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator-=(Self&& a, V const& v) {
        return computed<change::subtracted>(std::forward<Self>(a), v);
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator*=(Self&& a, V const& v) {
        return computed<change::multiplied>(std::forward<Self>(a), v);
    }
    template <class Self, class V> requires is_own<Self> friend constexpr Self&& operator/=(Self&& a, V const& v) {
        return computed<change::divided>(std::forward<Self>(a), v);
    }
    template <class Self, class Other> requires is_own<Self>
    friend constexpr Self&& operator+=(Self&& a, element_reference<Other>&& v) {
        return computed<change::added>(std::forward<Self>(a), v.get(), source_of(v));
    }
    template <class Self, class Other> requires is_own<Self>
    friend constexpr Self&& operator-=(Self&& a, element_reference<Other>&& v) {
        return computed<change::subtracted>(std::forward<Self>(a), v.get(), source_of(v));
    }
    template <class Self, class Other> requires is_own<Self>
    friend constexpr Self&& operator*=(Self&& a, element_reference<Other>&& v) {
        return computed<change::multiplied>(std::forward<Self>(a), v.get(), source_of(v));
    }
    template <class Self, class Other> requires is_own<Self>
    friend constexpr Self&& operator/=(Self&& a, element_reference<Other>&& v) {
        return computed<change::divided>(std::forward<Self>(a), v.get(), source_of(v));
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
        if (a.source().is_known() || b.source().is_known()) return swap_for_tapes(a, b);
        element_type const before = a.get();
        std::move(a) = b.get();
        std::move(b) = before;
    }

private:
    using change = detail::element_change;
    template <class> friend class element_reference;

    // `from` is that of tensor::write_element.
    template <class... Source>
    TRACEXPR_INLINE constexpr void write(element_type const& v, change how, element_type const& operand, Source... from) {
        of_->write_element(number_, v, how, operand, from...);
        base::get() = v;
    }
    constexpr detail::element_source source() const { return {known_, number_, dtype_of<element_type>}; }
    template <class Other> static constexpr detail::element_source source_of(element_reference<Other> const& v) {
        return v.source();
    }
    // Swaps two elements that tapes know; the tapes read each value from the place where it was.
    [[gnu::cold]] TRACEXPR_NOINLINE static void swap_for_tapes(element_reference& a, element_reference& b) {
        Tensor before = *a.of_;
        element_type const value = a.get();
        std::move(a) = element_reference(*b.of_, b.number_, b.get());
        std::move(b) = element_reference(before, a.number_, value);
    }
    template <change How, class Self, class V, class... Source>
    TRACEXPR_INLINE static constexpr Self&& computed(Self&& a, V const& v, Source... from) {
        element_type const after = result(detail::arithmetic<How>{}, a, v);
        if constexpr (std::is_lvalue_reference_v<Self>) a = after;
        else if constexpr (!std::is_integral_v<element_type> && std::is_constructible_v<element_type, V const&>)
            a.write(after, How, static_cast<element_type>(v), from...);
        else a.write(after, change::assigned, after);
        return std::forward<Self>(a);
    }
    template <class Self, class V, class F> static constexpr Self&& changed(Self&& a, V const& v, F const& f) {
        std::forward<Self>(a) = result(f, a, v);
        return std::forward<Self>(a);
    }
    template <class F, class V> static constexpr element_type result(F const& f, element_reference const& a, V const& v) {
        if constexpr (std::is_arithmetic_v<element_type> && std::is_arithmetic_v<V>) {
            using common = std::common_type_t<element_type, V>; // It converts as C++ does, without a warning.
            return static_cast<element_type>(f(static_cast<common>(a.get()), static_cast<common>(v)));
        } else {
            return static_cast<element_type>(f(a.get(), v));
        }
    }

    Tensor* of_;
    std::int64_t number_;
    std::uint32_t known_; // the tensor's number for tapes when the element was read
};

template <class A> inline constexpr bool is_element_reference = false;
template <class Tensor> inline constexpr bool is_element_reference<element_reference<Tensor>> = true;

} // namespace tx
