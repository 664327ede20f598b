// This file has dual numbers: a value and its tangent, which is the change of the value for a small step of whatever is
// differentiated for. dual is a number type for any generic scalar code; dual<dual<T>> has second derivatives, and so on. It is
// independent of the graph and its derivative rules; the conventions at kinks are those of tx::grad.
#pragma once

#include <tracexpr/base/config.hpp>

#include <concepts>
#include <limits>
#include <type_traits>

namespace tx {

// A dual number is a value with its tangent, for any generic scalar code. It is nested for higher derivatives.
template <class T> struct dual;

namespace detail {
template <class T> inline constexpr bool is_dual_number = false;
template <class T> inline constexpr bool is_dual_number<dual<T>> = true;

// These numbers become a dual without a tangent: real numbers, duals of less depth, and T itself.
template <class U, class T> concept lifts_to = !std::same_as<U, dual<T>> && (std::is_arithmetic_v<U> || std::same_as<U, T> ||
                                                                             (is_dual_number<U> && std::convertible_to<U, T>));
} // namespace detail

template <class T> struct dual {
    using value_type = T;
    T value{}, tangent{};

    dual() = default;
    TRACEXPR_HD constexpr dual(T const& v, T const& t) : value(v), tangent(t) {}
    template <detail::lifts_to<T> U> TRACEXPR_HD constexpr dual(U const& v) : value(static_cast<T>(v)) {}
    template <class U> requires(!std::same_as<U, T> && std::is_convertible_v<U, T> && !detail::lifts_to<dual<U>, T>)
    TRACEXPR_HD explicit constexpr dual(dual<U> const& other)
        : value(static_cast<T>(other.value)), tangent(static_cast<T>(other.tangent)) {}
    // This conversion drops the tangent.
    template <class U> requires std::is_arithmetic_v<U> TRACEXPR_HD explicit constexpr operator U() const {
        return static_cast<U>(value);
    }

    TRACEXPR_HD constexpr dual& operator+=(dual const& b) { return *this = *this + b; }
    TRACEXPR_HD constexpr dual& operator-=(dual const& b) { return *this = *this - b; }
    TRACEXPR_HD constexpr dual& operator*=(dual const& b) { return *this = *this * b; }
    TRACEXPR_HD constexpr dual& operator/=(dual const& b) { return *this = *this / b; }

    TRACEXPR_HD friend constexpr dual operator+(dual const& a) { return a; }
    TRACEXPR_HD friend constexpr dual operator-(dual const& a) { return {-a.value, -a.tangent}; }
    TRACEXPR_HD friend constexpr dual operator+(dual const& a, dual const& b) {
        return {a.value + b.value, a.tangent + b.tangent};
    }
    TRACEXPR_HD friend constexpr dual operator-(dual const& a, dual const& b) {
        return {a.value - b.value, a.tangent - b.tangent};
    }
    TRACEXPR_HD friend constexpr dual operator*(dual const& a, dual const& b) {
        return {a.value * b.value, a.tangent * b.value + a.value * b.tangent};
    }
    TRACEXPR_HD friend constexpr dual operator/(dual const& a, dual const& b) {
        T const quotient = a.value / b.value;
        return {quotient, (a.tangent - quotient * b.tangent) / b.value};
    }

    // Comparisons compare the values.
    TRACEXPR_HD friend constexpr bool operator==(dual const& a, dual const& b) { return a.value == b.value; }
    TRACEXPR_HD friend constexpr bool operator!=(dual const& a, dual const& b) { return !(a.value == b.value); }
    TRACEXPR_HD friend constexpr bool operator<(dual const& a, dual const& b) { return a.value < b.value; }
    TRACEXPR_HD friend constexpr bool operator<=(dual const& a, dual const& b) { return a.value <= b.value; }
    TRACEXPR_HD friend constexpr bool operator>(dual const& a, dual const& b) { return a.value > b.value; }
    TRACEXPR_HD friend constexpr bool operator>=(dual const& a, dual const& b) { return a.value >= b.value; }

    template <class Stream> requires requires(Stream& out, T const& v) { out << v; }
    friend Stream& operator<<(Stream& out, dual const& a) {
        out << "dual(" << a.value << ", " << a.tangent << ")";
        return out;
    }
};
template <class T, class U> dual(T, U) -> dual<std::common_type_t<T, U>>;
template <class T> dual(T) -> dual<T>;

// Gives the innermost real number of a dual of any depth.
template <class T> [[nodiscard]] TRACEXPR_HD constexpr auto primal(T const& x) {
    if constexpr (detail::is_dual_number<T>) return primal(x.value);
    else return x;
}

} // namespace tx

// numeric_limits holds the limits of the values; epsilon is one of the values' limits, too.
template <class T> class std::numeric_limits<tx::dual<T>> : public std::numeric_limits<T> {
    using own = std::numeric_limits<T>;

public:
    static constexpr tx::dual<T> lowest() { return own::lowest(); }
    static constexpr tx::dual<T> max() { return own::max(); }
    static constexpr tx::dual<T> min() { return own::min(); }
    static constexpr tx::dual<T> epsilon() { return own::epsilon(); }
    static constexpr tx::dual<T> round_error() { return own::round_error(); }
    static constexpr tx::dual<T> denorm_min() { return own::denorm_min(); }
    static constexpr tx::dual<T> infinity() { return own::infinity(); }
    static constexpr tx::dual<T> quiet_NaN() { return own::quiet_NaN(); }
    static constexpr tx::dual<T> signaling_NaN() { return own::signaling_NaN(); }
};
