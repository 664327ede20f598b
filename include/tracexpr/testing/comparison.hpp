// tx::compare_equal and tx::compare_close return an object that is true or false, and that a test framework prints as the
// differences of the tensors: CHECK(tx::compare_close(x, y)) in doctest and Catch2, EXPECT_TRUE(tx::compare_close(x, y)) in
// GoogleTest.
#pragma once

#include <tracexpr/base/dual.hpp>
#include <tracexpr/run/trees/pytree.hpp>
#include <tracexpr/trace/closeness.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace tx {

// Says whether tensors are alike, and if not, where they differ.
class comparison {
public:
    explicit comparison(std::string differences = "") : differences_{std::move(differences)} {}
    explicit operator bool() const { return differences_.empty(); }
    // Returns a text that is empty if the tensors are alike.
    std::string const& differences() const { return differences_; }
    friend std::ostream& operator<<(std::ostream& out, comparison const& c) {
        return out << (c ? "alike" : c.differences_.c_str());
    }
    // Converts to testing::AssertionResult, which GoogleTest's EXPECT_TRUE and ASSERT_TRUE take.
    template <class Assertion> requires requires(Assertion a, Assertion const& b, bool holds, std::string const& text) {
        Assertion(holds);
        a << text;
        { b.failure_message() } -> std::convertible_to<char const*>;
    } operator Assertion() const {
        Assertion out(differences_.empty());
        out << differences_;
        return out;
    }

private:
    std::string differences_;
};

namespace detail {

// Converts an element to the type in which it is compared.
template <class T> auto compared_number(T const& x) {
    if constexpr (is_small_float<T>) return static_cast<double>(x.value());
    else if constexpr (std::is_same_v<T, std::complex<float>>) return std::complex<double>(x);
    else if constexpr (std::is_floating_point_v<T>) return static_cast<double>(x);
    else if constexpr (std::is_same_v<T, interned>) return x.str();
    else return x;
}
template <class T> constexpr bool is_compared_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// Returns whether a floating number equals an integer exactly.
template <class I> bool equals_integer(double x, I whole) {
    constexpr double end = 2.0 * static_cast<double>(std::numeric_limits<I>::max() / 2 + 1); // a power of two
    return x >= static_cast<double>(std::numeric_limits<I>::min()) && x < end && x == std::trunc(x) && static_cast<I>(x) == whole;
}
template <class A, class B> bool equal_numbers(A const& a, B const& b) {
    if constexpr (is_compared_integer<A> && is_compared_integer<B>) return std::cmp_equal(a, b);
    else if constexpr (is_compared_integer<A> && std::is_same_v<B, double>) return equals_integer(b, a);
    else if constexpr (std::is_same_v<A, double> && is_compared_integer<B>) return equals_integer(a, b);
    else if constexpr (std::is_same_v<A, B>) return a == b;
    else if constexpr (is_complex_number<A> || is_complex_number<B>) return std::complex<double>(a) == std::complex<double>(b);
    else return static_cast<double>(a) == static_cast<double>(b);
}
template <class A> bool is_nan_number(A const& a) {
    if constexpr (is_complex_number<A>) return std::isnan(a.real()) || std::isnan(a.imag());
    else if constexpr (std::is_floating_point_v<A>) return std::isnan(a);
    else return false;
}
template <class A, class B> double difference_of_numbers(A const& a, B const& b) {
    if constexpr (is_complex_number<A> || is_complex_number<B>)
        return std::abs(std::complex<double>(a) - std::complex<double>(b));
    else return std::abs(static_cast<double>(a) - static_cast<double>(b));
}
template <class A> double size_of_number(A const& a) {
    if constexpr (is_complex_number<A>) return std::abs(a);
    else return std::abs(static_cast<double>(a));
}

template <class T> std::string text_of_number(T const& x) {
    std::ostringstream out;
    if constexpr (std::is_floating_point_v<T>) out.precision(std::numeric_limits<T>::max_digits10);
    if constexpr (std::is_same_v<T, interned>) out << '"' << x.str() << '"';
    else if constexpr (std::is_same_v<T, bool>) out << (x ? "true" : "false");
    else if constexpr (is_small_float<T>) out << static_cast<float>(x.value());
    else if constexpr (is_complex_number<T>) {
        out.precision(std::numeric_limits<typename T::value_type>::max_digits10);
        out << x.real() << (std::signbit(x.imag()) ? "-" : "+") << std::abs(x.imag()) << "i";
    } else if constexpr (std::is_integral_v<T>) out << std::to_string(x);
    else out << x;
    return out.str();
}
// Returns the index of the element with this row-major number as text, such as (0, 2).
inline std::string text_of_place(dims const& extents, std::int64_t number) {
    std::string out;
    for (int axis = extents.rank; axis-- > 0;) {
        out = std::to_string(number % extents[axis]) + (out.empty() ? "" : ", ") + out;
        number /= extents[axis];
    }
    return "(" + out + ")";
}

// Collects the text about differing elements: the first ones, their number, and the largest difference.
class listed_differences {
public:
    template <class A, class B> void add(dims const& extents, std::int64_t place, A const& a, B const& b) {
        if (++count_ > most) return;
        list_ += "\n  " + text_of_place(extents, place) + ": " + text_of_number(a) + ", expected " + text_of_number(b);
    }
    void measure(std::int64_t place, double by) {
        if (by > largest_) largest_ = by, where_ = place;
    }
    std::string text(dims const& extents, std::string const& by_more_than) const {
        if (count_ == 0) return "";
        std::string out =
            std::to_string(count_) + " of " + std::to_string(extents.size()) + " elements differ" + by_more_than + list_;
        if (count_ > most) out += "\n  and " + std::to_string(count_ - most) + " more";
        if (where_ >= 0)
            out += "\nthe largest difference is " + text_of_number(largest_) + ", at " + text_of_place(extents, where_);
        return out;
    }

private:
    static constexpr std::int64_t most = 8;
    std::int64_t count_ = 0, where_ = -1;
    double largest_ = 0;
    std::string list_;
};

template <class A> auto compared_tensor(A const& a) {
    if constexpr (tensor_type<A>) return a;
    else if constexpr (foreign<A>) return foreign_access<A>::to_tensor(a);
    else return tensor<canonical<A>, shape<>>(a);
}

// Calls differ(a, b) for all pairs of elements; an expected number is compared with each element.
template <class A, class B, class Differ>
comparison compared(A const& given_a, B const& given_b, std::string const& by_more_than, Differ const& differ) {
    auto const a = compared_tensor(given_a);
    auto const b = compared_tensor(given_b);
    constexpr bool expects_number = !tensor_type<B> && !foreign<B>;
    dims const extents = a.dimensions();
    if (!expects_number && !(extents == b.dimensions()))
        return comparison("the shape is " + to_string(extents) + ", expected " + to_string(b.dimensions()));
    listed_differences found;
    for (std::int64_t k = 0; k < a.size(); ++k) {
        auto const& x = a.data()[k];
        auto const& y = b.data()[expects_number ? 0 : k];
        auto const p = compared_number(x);
        auto const q = compared_number(y);
        if (!differ(p, q)) continue;
        found.add(extents, k, x, y);
        if constexpr (!std::is_same_v<std::remove_const_t<decltype(p)>, std::string>)
            found.measure(k, difference_of_numbers(p, q));
    }
    return comparison(found.text(extents, by_more_than));
}

template <class A> constexpr dtype dtype_to_compare() {
    if constexpr (tensor_type<A>) return dtype_of<typename A::value_type>;
    else if constexpr (foreign<A>)
        return dtype_of<typename decltype(foreign_access<A>::to_tensor(std::declval<A const&>()))::value_type>;
    else return dtype_of<canonical<A>>;
}

} // namespace detail

// These are the types that can be compared: a tensor, another library's array, or a number or string, which is expected of all
// elements.
template <class A> concept compared_operand =
    tensor_type<A> || detail::foreign<A> || scalar_type<A> || std::same_as<A, std::string>;

// Returns whether the shapes are the same and all elements are equal. NaN equals NaN if equal_nan is true. Numbers of different
// dtypes are equal if their values are; strings are compared with strings.
template <compared_operand A, compared_operand B>
comparison compare_equal(A const& actual, B const& expected, bool equal_nan = false) {
    constexpr bool are_strings = detail::dtype_to_compare<A>() == dtype::string;
    constexpr bool meet = are_strings == (detail::dtype_to_compare<B>() == dtype::string) &&
                          !is_dual(detail::dtype_to_compare<A>()) && !is_dual(detail::dtype_to_compare<B>());
    static_assert(meet,
                  "tx: compare_equal: takes numbers and numbers, or strings and strings; of dual numbers compare the parts");
    if constexpr (!meet) return comparison();
    else
        return detail::compared(actual, expected, "", [&](auto const& a, auto const& b) {
            if constexpr (!are_strings)
                if (equal_nan && detail::is_nan_number(a) && detail::is_nan_number(b)) return false;
            return !detail::equal_numbers(a, b);
        });
}
// Returns whether the shapes are the same and |actual - expected| <= atol + rtol |expected| for all elements, as in tx::isclose.
// Infinities are only close to equal infinities.
template <compared_operand A, compared_operand B>
comparison compare_close(A const& actual, B const& expected, closeness how = {}) {
    constexpr bool are_numbers = detail::dtype_to_compare<A>() != dtype::string &&
                                 detail::dtype_to_compare<B>() != dtype::string && !is_dual(detail::dtype_to_compare<A>()) &&
                                 !is_dual(detail::dtype_to_compare<B>());
    static_assert(are_numbers, "tx: compare_close: takes numbers; of dual numbers compare the parts");
    if constexpr (!are_numbers) {
        return comparison();
    } else {
        std::ostringstream bound;
        bound << " by more than " << how.atol << " + " << how.rtol << " |expected|";
        return detail::compared(actual, expected, bound.str(), [&](auto const& a, auto const& b) {
            if (detail::equal_numbers(a, b)) return false;
            if (detail::is_nan_number(a) || detail::is_nan_number(b))
                return !(how.equal_nan && detail::is_nan_number(a) && detail::is_nan_number(b));
            double const size = detail::size_of_number(b);
            return !(std::isfinite(size) && detail::difference_of_numbers(a, b) <= how.atol + how.rtol * size);
        });
    }
}

} // namespace tx
