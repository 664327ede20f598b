// This file holds comparisons with a tolerance, comparisons of whole tensors, and nan_to_num, which replaces NaN and infinities.
#pragma once

#include <tracexpr/trace/extents.hpp>
#include <tracexpr/trace/reductions.hpp>

#include <limits>
#include <optional>

namespace tx {

// The tolerances of isclose and allclose, and whether NaN equals NaN. (NumPy's names and defaults)
struct closeness {
    double rtol = 1e-5;
    double atol = 1e-8;
    bool equal_nan = false;
};

// The numbers that nan_to_num puts in the place of NaN and infinities; posinf and neginf without a value are the largest finite
// number of the dtype and the lowest.
struct replacements {
    double nan = 0;
    std::optional<double> posinf{};
    std::optional<double> neginf{};
};

namespace detail {

// Gives an operand in dtype To; a number stays a number.
template <class To, class A> constexpr auto as_dtype(A const& a) {
    if constexpr (scalar_type<A>) return promoted<To>(a);
    else return cast_to<To>(a);
}

template <class A, class B, class Flag> constexpr auto both_nan(A const& a, B const& b, Flag const& counts) {
    return logical_and(logical_and(isnan(a), isnan(b)), counts);
}

struct isclose_fn {
    static constexpr char const* called = "isclose";
    template <class A, class B, class R, class L, class N>
    constexpr auto operator()(A const& a, B const& b, R const& rtol, L const& atol, N const& equal_nan) const {
        using compared = mean_sum_type<ctype<common_dtype<A, B>>>;
        auto const x = as_dtype<compared>(a);
        auto const y = as_dtype<compared>(b);
        auto const near = logical_and(abs(x - y) <= atol + rtol * abs(y), isfinite(y));
        return logical_or(logical_or(near, x == y), both_nan(x, y, equal_nan));
    }
};
struct allclose_fn {
    static constexpr char const* called = "allclose";
    template <class... A> constexpr auto operator()(A const&... a) const { return all(isclose_fn{}(a...)); }
};

struct array_equal_fn {
    static constexpr char const* called = "array_equal";
    template <class A, class B, class N> constexpr auto operator()(A const& a, B const& b, N const& equal_nan) const {
        constexpr int rank = dims_of_operand<A>.rank < 0 ? dims_of_operand<B>.rank : dims_of_operand<A>.rank;
        auto const same = [&] {
            if constexpr (is_inexact(common_dtype<A, B>)) return logical_or(a == b, both_nan(a, b, equal_nan));
            else return a == b;
        }();
        return same_extents(all(same), a, b, std::make_integer_sequence<int, (rank < 0 ? 0 : rank)>{});
    }
    // Compares extents that only the run knows, because the element-wise comparison would let an extent of 1 broadcast.
    template <class E, class A, class B>
    static constexpr auto same_extents(E const& so_far, A const&, B const&, std::integer_sequence<int>) {
        return so_far;
    }
    template <class E, class A, class B, int First, int... Axes>
    static constexpr auto same_extents(E const& so_far, A const& a, B const& b, std::integer_sequence<int, First, Axes...>) {
        auto const of_a = extent<First>(a);
        auto const of_b = extent<First>(b);
        constexpr bool are_numbers =
            std::is_same_v<decltype(of_a), std::int64_t const> && std::is_same_v<decltype(of_b), std::int64_t const>;
        if constexpr (are_numbers) return same_extents(so_far, a, b, std::integer_sequence<int, Axes...>{});
        else return same_extents(logical_and(so_far, of_a == of_b), a, b, std::integer_sequence<int, Axes...>{});
    }
};
template <class A> constexpr dims known_shape(A const& a) {
    if constexpr (expr_type<A>) return a.dimensions();
    else return shape_of_held(a);
}
template <class Result, class A, class B> constexpr Result never_equal([[maybe_unused]] A const& a, [[maybe_unused]] B const& b) {
    if constexpr (expr_type<Result>) {
        trace_scope& scope = *scope_among(a, b);
        return Result(scope, lowering(scope).literal(false));
    } else {
        return Result(tensor<bool, shape<>>(false));
    }
}

struct nan_to_num_fn {
    static constexpr char const* called = "nan_to_num";
    template <class A, class N, class P, class M>
    constexpr auto operator()(A const& a, N const& nan, P const& posinf, M const& neginf) const {
        using T = typename A::value_type;
        if constexpr (is_complex(dtype_of<T>)) {
            return complex_of_parts_fn{}((*this)(real(a), nan, posinf, neginf), (*this)(imag(a), nan, posinf, neginf));
        } else if constexpr (is_inexact(dtype_of<T>)) {
            auto const filled = where(isnan(a), as_dtype<T>(nan), a);
            return where(isinf(a), where(a > 0, as_dtype<T>(posinf), as_dtype<T>(neginf)), filled);
        } else {
            return a;
        }
    }
};

// Are the operands numbers with a common dtype and shapes that broadcast?
template <class A, class B> inline constexpr bool are_comparable_numbers =
    have_common_dtype<A, B> && traits<A>::type != dtype::string && can_broadcast<A, B>;
template <class T> constexpr double largest_finite() {
    return static_cast<double>(std::numeric_limits<ctype<primal(real_part(dtype_of<T>))>>::max());
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// a - b| <= atol + rtol |b| for each element; an infinity is close to an equal one alone. Broadcasts; integers are compared as
// float64. isclose(a, b, {.rtol = 1e-3, .equal_nan = true})
template <class A, class B> requires elementwise<A, B>
[[nodiscard]] constexpr auto isclose(A const& a, B const& b, closeness how = {}) {
    constexpr bool fit = detail::are_comparable_numbers<A, B>;
    static_assert(fit, "tx: isclose: takes numbers of shapes that broadcast; both shapes stand in the note above");
    return detail::apply_if<fit>(detail::isclose_fn{}, a, b, how.rtol, how.atol, how.equal_nan);
}
// Is isclose(a, b) true for all elements? A scalar of bool: tx::allclose(a, b).item() outside of a callable.
template <class A, class B> requires elementwise<A, B>
[[nodiscard]] constexpr auto allclose(A const& a, B const& b, closeness how = {}) {
    constexpr bool fit = detail::are_comparable_numbers<A, B>;
    static_assert(fit, "tx: allclose: takes numbers of shapes that broadcast; both shapes stand in the note above");
    return detail::apply_if<fit>(detail::allclose_fn{}, a, b, how.rtol, how.atol, how.equal_nan);
}
// Do a and b have one shape and equal elements? A scalar of bool. Shapes that differ are not an error where they are known when
// it is called or traced; extents that only the run knows must be equal, or 1, else it throws shape_error.
template <array_operand A, array_operand B>
[[nodiscard]] constexpr auto array_equal(A const& a, B const& b, bool equal_nan = false) {
    constexpr bool meet = detail::have_common_dtype<A, B>;
    if constexpr (!meet) detail::require_common_dtype<A, B>();
    if constexpr (!meet || detail::any_unusable<A, B>) {
        return detail::used<A, B>();
    } else if constexpr (!may_equal(detail::dims_of_operand<A>, detail::dims_of_operand<B>)) {
        constexpr bool in_trace = expr_type<A> || expr_type<B>;
        return detail::never_equal<std::conditional_t<in_trace, expr<bool, shape<>>, tensor<bool, shape<>>>>(a, b);
    } else {
        using result = decltype(detail::apply(detail::array_equal_fn{}, a, b, equal_nan));
        if (!may_equal(detail::known_shape(a), detail::known_shape(b))) return detail::never_equal<result>(a, b);
        return detail::apply(detail::array_equal_fn{}, a, b, equal_nan);
    }
}
// x with NaN replaced by 0 and infinities by the largest finite number of the dtype and the lowest, or by the numbers given:
// nan_to_num(x, {.nan = -1, .posinf = 1e6}). Both parts of complex numbers are replaced; integers stay as they are.
template <elementwise A> [[nodiscard]] constexpr auto nan_to_num(A const& x, replacements by = {}) {
    constexpr bool are_numbers = detail::dtype_of_operand<A> != dtype::string;
    static_assert(are_numbers, "tx: nan_to_num: takes numbers");
    constexpr double most = detail::largest_finite<ctype<detail::dtype_of_operand<A>>>();
    return detail::apply_if<are_numbers>(detail::nan_to_num_fn{}, x, by.nan, by.posinf.value_or(most), by.neginf.value_or(-most));
}

} // namespace TRACEXPR_CALLS
} // namespace tx
