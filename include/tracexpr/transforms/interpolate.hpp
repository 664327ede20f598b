// tx::searchsorted finds places in sorted numbers, and tx::interp interpolates linearly between given points.
#pragma once

#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/operand_checks.hpp>
#include <tracexpr/transforms/loops.hpp>

#include <bit>

namespace tx {

// Says on which side of equal numbers searchsorted finds the place.
enum class side { left, right };

namespace detail {

// Returns whether a number stands before the place that is sought. NaN counts as greater than all numbers.
template <side Side, class A, class V> constexpr auto lies_before(A const& sorted, V const& v) {
    if constexpr (!is_floating(dtype_of_operand<A>)) {
        if constexpr (Side == side::left) return sorted < v;
        else return sorted <= v;
    } else if constexpr (Side == side::left) {
        return logical_or(sorted < v, logical_and(isnan(v), logical_not(isnan(sorted))));
    } else {
        return logical_or(sorted <= v, isnan(v));
    }
}
// Up to this many sorted numbers are all compared, which is one loop without lookups. Among more a binary search is done:
// unrolled in one loop if their number is known, else as a loop of the graph.
inline constexpr std::int64_t most_compared_numbers = 32;
template <side Side> struct searchsorted_fn {
    static constexpr char const* called = "searchsorted";
    template <class A, class V> constexpr auto operator()(A const& given, V const& wanted) const {
        using T = ctype<common_dtype<A, V>>;
        auto const sorted = cast_to<T>(given);
        auto const v = to_expr<T>(given.scope(), wanted);
        constexpr std::int64_t count = extent_of<typename A::shape_type, 0>;
        if constexpr (count == dyn) return binary_search_in_loop(sorted, v);
        else if constexpr (count <= most_compared_numbers)
            return tx::sum(cast_to<std::int64_t>(lies_before<Side>(sorted, expand_dims<-1>(v))), axis<-1>);
        else return binary_search_unrolled<count, std::int64_t(std::bit_floor(std::uint64_t(count)))>(sorted, v, zeros_of(v));
    }
    template <class T, class V> static constexpr auto to_expr(trace_scope& scope, V const& v) {
        if constexpr (expr_type<V>) return cast_to<T>(v);
        else return expr<T, shape<>>(scope, record_operand<dtype_of<T>>(scope, v));
    }
    template <class V> static constexpr auto zeros_of(V const& v) { return zeros_like(cast_to<std::int64_t>(isnan(v))); }
    // Returns the place after one step of the search: `step` further, if the numbers up to there stand before the one that is
    // sought.
    template <class A, class V, class P, class S, class N>
    static constexpr auto moved(A const& sorted, V const& v, P const& place, S const& step, N const& count) {
        auto const next = place + step;
        auto const inside = next <= count;
        return where(logical_and(inside, lies_before<Side>(take<0>(sorted, minimum(next, count) - 1), v)), next, place);
    }
    template <std::int64_t Count, std::int64_t Step, class A, class V, class P>
    static constexpr auto binary_search_unrolled(A const& sorted, V const& v, P const& place) {
        auto const next = moved(sorted, v, place, Step, Count);
        if constexpr (Step == 1) return next;
        else return binary_search_unrolled<Count, Step / 2>(sorted, v, next);
    }
    template <class A, class V> static constexpr auto binary_search_in_loop(A const& sorted, V const& v) {
        auto const count = tx::sum(ones_like(cast_to<std::int64_t>(isnan(sorted)))); // if it is 0, no number is looked up
        auto const first = where(count > 0, std::int64_t{1} << (63 - count_leading_zeros(maximum(count, 1))), 0);
        auto const out = tx::while_loop(
            [](auto const&, auto const& step) { return step > 0; },
            [&](auto const& place, auto const& step) { return std::tuple(moved(sorted, v, place, step, count), step >> 1); },
            zeros_of(v), first);
        return std::get<0>(out);
    }
};

// Checks xp and fp.
struct interp_points {
    static constexpr char const* called = "interp";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        dims const &xp = given[0].shape, &fp = given[1].shape;
        if (!may_equal(xp, fp)) return "xp and fp must have one extent";
        return xp[0] == 0 || fp[0] == 0 ? "needs at least one point" : nullptr;
    }
};
// Interpolates linearly between points; at a knot the slope is that to its right, at the last one that to its left.
// (numpy.interp)
struct interp_fn {
    static constexpr char const* called = "interp";
    template <class X, class P, class F, class... Ends>
    constexpr auto operator()(X const& x_given, P const& xp_given, F const& fp_given, Ends const&... ends) const {
        using T = mean_type<ctype<common_dtype<X, P>>>;
        using Y = mean_type<ctype<dtype_of_operand<F>>>;
        trace_scope& scope = *scope_among(x_given, xp_given, fp_given);
        auto const x = searchsorted_fn<side::right>::to_expr<T>(scope, x_given);
        auto const xp = with_check<interp_points>(cast_to<T>(xp_given), xp_given, fp_given);
        auto const fp = cast_to<Y>(fp_given);
        auto const last = tx::size(xp) - 1;
        auto const behind = searchsorted_fn<side::right>{}(xp, x);
        auto const upper = minimum(maximum(behind, 1), last), lower = maximum(upper - 1, 0);
        auto const x0 = take<0>(xp, lower), x1 = take<0>(xp, upper);
        auto const y0 = take<0>(fp, lower), y1 = take<0>(fp, upper);
        auto const width = x1 - x0;
        auto const slope = (y1 - y0) / where(width == 0, T(1), width);
        // The value is computed from the right end if x is there, where that is exact, and else from the left; where that is NaN,
        // as beside an infinite value, it is computed from the right. At a knot an infinite slope is not used.
        auto const at_end = x == x1;
        auto const from_left = y0 + slope * (x - x0), from_right = y1 + slope * (x - x1);
        auto const between = where(logical_or(at_end, isnan(from_left)), from_right, from_left);
        auto const at_knot = logical_and(logical_or(at_end, x == x0), logical_not(isfinite(slope)));
        auto const inside = where(at_knot, where(at_end, y1, y0), between);
        auto const left = take<0>(xp, std::int64_t{0}), right = take<0>(xp, last);
        return where(isnan(x), x, outside(inside, x<left, x> right, fp, last, ends...));
    }
    template <class I, class L, class R, class F, class N>
    static constexpr auto outside(I const& inside, L const& is_left, R const& is_right, F const& fp, N const& last) {
        return where(is_left, take<0>(fp, std::int64_t{0}), where(is_right, take<0>(fp, last), inside));
    }
    template <class I, class L, class R, class F, class N, class Left, class Right> static constexpr auto
    outside(I const& inside, L const& is_left, R const& is_right, F const&, N const&, Left const& left, Right const& right) {
        using Y = typename I::value_type;
        return where(is_left, as_dtype<Y>(left), where(is_right, as_dtype<Y>(right), inside));
    }
};
template <class X, class P, class F> constexpr bool check_interp() {
    constexpr dims xp = dims_of_operand<P>, fp = dims_of_operand<F>;
    constexpr bool are_points = xp.rank == 1 && fp.rank == 1 && may_equal(xp, fp);
    static_assert(are_points, "tx: interp: xp and fp must be vectors of one extent, whose types tell their rank");
    constexpr bool are_real = have_common_dtype<X, P> && accepts(domain::real, common_dtype<X, P>);
    static_assert(are_real, "tx: interp: x and xp must be real numbers");
    constexpr bool has_points = !are_points || !any_extent_is_zero(xp);
    static_assert(has_points, "tx: interp: needs at least one point");
    return are_points && are_real && has_points;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Finds the place of each number v in a sorted vector where inserting it keeps the order, as int64, in the shape of v: before
// equal numbers, or behind them with searchsorted<tx::side::right>. NaN goes to the end.
template <side Side = side::left, array_operand A, operand V>
[[nodiscard]] constexpr auto searchsorted(A const& sorted, V const& v) {
    constexpr bool is_vector = detail::dims_of_operand<A>.rank == 1;
    static_assert(is_vector, "tx: searchsorted: the sorted numbers must be a vector whose type tells its rank");
    constexpr bool are_real = detail::have_common_dtype<A, V> && accepts(domain::real, detail::common_dtype<A, V>);
    static_assert(are_real, "tx: searchsorted: takes real numbers");
    return detail::apply_if<(is_vector && are_real)>(detail::searchsorted_fn<Side>{}, sorted, v);
}
// Evaluates at x the lines through the points (xp, fp), where xp ascends; x has any shape. Left of the points the value is fp[0],
// right of them fp[-1], or the values that are given. NaN gives NaN. interp(x, xp, fp), interp(x, xp, fp, left, right)
template <operand X, array_operand P, array_operand F> [[nodiscard]] constexpr auto interp(X const& x, P const& xp, F const& fp) {
    return detail::apply_if<detail::check_interp<X, P, F>()>(detail::interp_fn{}, x, xp, fp);
}
template <operand X, array_operand P, array_operand F, operand L, operand R>
[[nodiscard]] constexpr auto interp(X const& x, P const& xp, F const& fp, L const& left, R const& right) {
    return detail::apply_if<detail::check_interp<X, P, F>()>(detail::interp_fn{}, x, xp, fp, left, right);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
