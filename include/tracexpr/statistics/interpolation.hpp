// tx::interp with a kind other than linear takes the nearest or the previous point, or evaluates a cubic spline.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>
#include <tracexpr/trace/interpolation_kinds.hpp>
#include <tracexpr/transforms/interpolate.hpp>

namespace tx {
namespace detail {

// Row i of the equations for the slopes s at the points is before[i] s[i - 1] + at[i] s[i] + behind[i] s[i + 1] = right[i].
struct spline_rows {
    node_id before, at, behind, right;
};
// The cubics on both sides of the second point are the same, and so at the last but one ("not a knot"), as in
// scipy.interpolate.CubicSpline: C. de Boor, A Practical Guide to Splines (1978), chapter IV. Three points lie on one parabola,
// two on a line.
class spline_lowering : public lowering {
public:
    constexpr spline_lowering(trace_scope& scope, node_id x, node_id y) : lowering(scope), zero_{zero_like(y)} {
        node_id const widths = differences(*this, x, 0), rises = differences(*this, y, 0);
        node_id const slopes = append(op::divide, rises, widths);
        node_id const one[]{with_axis(number_like(y, 1))}, none[]{with_axis(zero_)};
        width_before_ = joined(one[0], widths), width_ = joined(widths, one[0]);
        slope_before_ = joined(none[0], slopes), slope_ = joined(slopes, none[0]);
        place_ = iota_like<std::int64_t>(x, 0);
        count_ = extent(x, 0) == dyn ? axis_size<std::int64_t>(x, 0) : literal(extent(x, 0));
    }
    TRACEXPR_ONCE constexpr spline_rows rows() {
        end const first = end_row(0, 1), last = end_row(-2, -3);
        node_id const is_first = test(op::equal, place_, literal(std::int64_t{0}));
        node_id const is_last = test(op::equal, place_, less(1));
        node_id const both = append(op::add, width_before_, width_);
        node_id const sum = plus(times(width_, slope_before_), times(width_before_, slope_));
        return {choose(is_first, zero_, choose(is_last, last.other, width_)),
                choose(is_first, first.own, choose(is_last, last.own, plus(both, both))),
                choose(is_last, zero_, choose(is_first, first.other, width_before_)),
                choose(is_first, first.right, choose(is_last, last.right, times(sum, number_like(sum, 3))))};
    }

private:
    struct end {
        node_id own, other, right;
    };
    // Computes the row of the first or the last point. `outer` and `inner` are the numbers of the outer interval and its
    // neighbour; negative ones count from the number of points.
    TRACEXPR_ONCE constexpr end end_row(int outer, int inner) {
        node_id const w = at(width_, outer), v = at(width_, inner), p = at(slope_, outer), q = at(slope_, inner);
        node_id const both = plus(w, v), twice = plus(both, both);
        node_id const weighted = plus(times(times(plus(w, twice), v), p), times(times(w, w), q));
        end const cubic{v, both, append(op::divide, weighted, both)};
        node_id const one = number_like(w, 1);
        end const parabola{one, one, plus(p, p)}, line{one, zero_, p}, point{one, zero_, zero_};
        node_id const is_point = test(op::equal, count_, literal(std::int64_t{1}));
        node_id const is_line = test(op::equal, count_, literal(std::int64_t{2}));
        node_id const is_parabola = test(op::equal, count_, literal(std::int64_t{3}));
        auto const chosen = [&](node_id end::* part) {
            node_id const unless_parabola = choose(is_line, line.*part, choose(is_point, point.*part, cubic.*part));
            return choose(is_parabola, parabola.*part, unless_parabola);
        };
        return {chosen(&end::own), chosen(&end::other), chosen(&end::right)};
    }
    // Looks up the value of an interval; the number of one that doesn't exist is clamped to those that do.
    TRACEXPR_ONCE constexpr node_id at(node_id of_intervals, int place) {
        node_id const wanted = place >= 0 ? literal(std::int64_t{place}) : less(-place);
        node_id const inside = append(op::maximum, append(op::minimum, wanted, less(1)), literal(std::int64_t{0}));
        return append(op::take, of_intervals, inside, attribute_list(0));
    }
    constexpr node_id less(std::int64_t number) { return append(op::subtract, count_, literal(number)); }
    constexpr node_id plus(node_id a, node_id b) { return append(op::add, a, b); }
    constexpr node_id times(node_id a, node_id b) { return append(op::multiply, a, b); }
    constexpr node_id with_axis(node_id scalar) { return expand(scalar, 0); }
    constexpr node_id joined(node_id a, node_id b) {
        node_id const parts[]{a, b};
        return concatenate(parts, 0);
    }

    node_id zero_, width_before_ = node_id::none, width_ = node_id::none, slope_before_ = node_id::none, slope_ = node_id::none,
                   place_ = node_id::none, count_ = node_id::none;
};

// Computes the slopes of the spline at its points: a forward scan eliminates the elements below the diagonal, and a backward scan
// substitutes. (G. Golub and C. Van Loan, Matrix Computations, 2013, section 4.3.6)
template <class P, class F> constexpr auto spline_slopes(P const& xp, F const& fp) {
    using T = typename F::value_type;
    using vector = expr<T, typename P::shape_type>;
    trace_scope& scope = xp.scope();
    spline_rows const rows = spline_lowering(scope, xp.id(), fp.id()).rows();
    auto const down = [](auto const& above, auto const& row) {
        auto const& [before, at, behind, right] = row;
        auto const pivot = at - before * std::get<0>(above);
        auto const next = std::tuple(behind / pivot, (right - before * std::get<1>(above)) / pivot);
        return std::pair(next, next);
    };
    auto const zero = T{};
    auto const start = std::tuple(expr<T, shape<>>(scope, record_operand<dtype_of<T>>(scope, zero)),
                                  expr<T, shape<>>(scope, record_operand<dtype_of<T>>(scope, zero)));
    auto const equations =
        std::tuple(vector(scope, rows.before), vector(scope, rows.at), vector(scope, rows.behind), vector(scope, rows.right));
    auto const reduced = tx::scan(down, start, equations).second;
    auto const up = [](auto const& below, auto const& row) {
        auto const& [factor, right] = row;
        auto const slope = right - factor * below;
        return std::pair(slope, slope);
    };
    return tx::scan(up, std::get<0>(start), reduced, scan_options{.reverse = true}).second;
}

// Kind is a tag of tx::interpolation.
template <class Kind> struct interp_kind_fn {
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
        auto const inside = cast_to<Y>(between(x, xp, fp, behind, last));
        auto const left = take<0>(xp, std::int64_t{0}), right = take<0>(xp, last);
        auto const value = interp_fn::outside(inside, x<left, x> right, fp, last, ends...);
        return where(isnan(x), cast_to<Y>(x), value);
    }

private:
    // Interpolates at x between the point before it and the point behind it; `behind` and `last` are numbers of points.
    template <class X, class P, class F, class B, class L>
    static constexpr auto between(X const& x, P const& xp, F const& fp, B const& behind, L const& last) {
        if constexpr (std::is_same_v<Kind, interpolation::previous_t>) {
            return take<0>(fp, minimum(maximum(behind - 1, 0), last));
        } else {
            auto const upper = minimum(maximum(behind, 1), last), lower = maximum(upper - 1, 0);
            auto const x0 = take<0>(xp, lower), x1 = take<0>(xp, upper);
            if constexpr (std::is_same_v<Kind, interpolation::nearest_t>) {
                return take<0>(fp, where(x > x0 * 0.5 + x1 * 0.5, upper, lower));
            } else {
                using U = ctype<promote(dtype_of<typename X::value_type>, dtype_of<typename F::value_type>)>;
                auto const points = cast_to<U>(xp), values = cast_to<U>(fp);
                auto const slopes = spline_slopes(points, values);
                auto const h = take<0>(points, upper) - take<0>(points, lower), t = cast_to<U>(x) - take<0>(points, lower);
                return cubic(t, where(h == 0, U(1), h), take<0>(values, lower), take<0>(values, upper), take<0>(slopes, lower),
                             take<0>(slopes, upper));
            }
        }
    }
    // Evaluates the cubic with these values and slopes at 0 and h.
    template <class V> static constexpr auto cubic(V const& t, V const& h, V const& y0, V const& y1, V const& s0, V const& s1) {
        auto const slope = (y1 - y0) / h;
        auto const third = (s0 + s1 - 2 * slope) / h;
        return y0 + t * (s0 + t * ((slope - s0) / h - third + t * (third / h)));
    }
};
// Linear interpolation is the one of tx::interp without a kind.
template <> struct interp_kind_fn<interpolation::linear_t> : interp_fn {};

template <class Tag> inline constexpr bool is_interpolation = false;
template <> inline constexpr bool is_interpolation<interpolation::nearest_t> = true;
template <> inline constexpr bool is_interpolation<interpolation::previous_t> = true;
template <> inline constexpr bool is_interpolation<interpolation::linear_t> = true;
template <> inline constexpr bool is_interpolation<interpolation::cubic_t> = true;
template <class Tag> concept interpolation_tag = is_interpolation<Tag>;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Evaluates at x a curve through the points (xp, fp), where xp ascends: interp(x, xp, fp, tx::interpolation::cubic). nearest
// takes the nearer point, the left one half way; previous takes the point before x; cubic is a spline whose second derivative is
// continuous, and its third derivative at the second point and the last but one, as in scipy.interpolate.CubicSpline. Left of the
// points it is fp[0], right of them fp[-1], or the values that are given: interp(x, xp, fp, kind, left, right). At NaN it is NaN.
template <operand X, array_operand P, array_operand F, detail::interpolation_tag Kind>
[[nodiscard]] constexpr auto interp(X const& x, P const& xp, F const& fp, Kind) {
    return detail::apply_if<detail::check_interp<X, P, F>()>(detail::interp_kind_fn<Kind>{}, x, xp, fp);
}
template <operand X, array_operand P, array_operand F, detail::interpolation_tag Kind, operand L, operand R>
[[nodiscard]] constexpr auto interp(X const& x, P const& xp, F const& fp, Kind, L const& left, R const& right) {
    return detail::apply_if<detail::check_interp<X, P, F>()>(detail::interp_kind_fn<Kind>{}, x, xp, fp, left, right);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
