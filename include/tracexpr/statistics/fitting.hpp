// tx::polyfit fits polynomials to points, and tx::polyval evaluates them.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>
#include <tracexpr/trace/linalg_solutions.hpp>
#include <tracexpr/trace/misused.hpp>
#include <tracexpr/transforms/interpolate.hpp>

#include <limits>

namespace tx {
namespace detail {

// Makes a matrix whose columns are the powers of x, from the highest down: (m) -> (m, degree + 1).
TRACEXPR_ONCE constexpr node_id record_power_columns(lowering& low, node_id x, int degree) {
    node_id const column = low.expand(x, 1);
    buffer<node_id> columns(static_cast<std::size_t>(degree) + 1, node_id::none);
    node_id power = low.append(op::broadcast_to, low.number_like(x, 1), column);
    for (std::size_t k = columns.size(); k-- > 0;) {
        columns[k] = power;
        if (k > 0) power = k + 1 == columns.size() ? column : low.append(op::multiply, power, column);
    }
    return low.concatenate(columns, 1);
}
// Solves the least squares problem with columns scaled to length 1, as numpy.polyfit does. The triangular factor R of the columns
// has the same singular values and shortest solution as the whole matrix, and is small.
TRACEXPR_ONCE constexpr node_id record_polyfit(trace_scope& scope, node_id x, node_id y, node_id weights, int degree) {
    lowering low(scope);
    node_id columns = record_power_columns(low, x, degree);
    if (weights != node_id::none) {
        node_id const by_row = low.expand(weights, 1);
        columns = low.append(op::multiply, columns, by_row);
        y = low.append(op::multiply, y, low.rank(y) == 1 ? weights : by_row);
    }
    node_id const squares = low.append(op::sum, low.append(op::square, columns), attribute_list(0, 0));
    node_id const is_zero = low.test(op::equal, squares, low.zero_like(squares));
    node_id const lengths = low.append(op::sqrt, low.choose(is_zero, low.number_like(squares, 1), squares));
    node_id const q = low.append(op::qr, low.append(op::divide, columns, lengths)), r = low.result(q, 1);
    node_id const right = low.rank(y) == 1 ? low.expand(y, 1) : y;
    node_id const rounding = low.literal(low.type(x) == dtype::float32 || primal(low.type(x)) == dtype::float32
                                             ? double{std::numeric_limits<float>::epsilon()}
                                             : std::numeric_limits<double>::epsilon());
    node_id const ratio = low.append(op::multiply, count_along(low, x, 0), rounding);
    node_id const projected = low.append(op::matmul, low.transpose(q, attribute_list(1, 0)), right);
    node_id const found = record_lstsq(scope, "polyfit", r, projected, low.as(ratio, low.type(x))).solution;
    node_id const out = low.append(op::divide, found, low.expand(lengths, 1));
    return low.rank(y) == 1 ? low.squeeze(out, 1) : out;
}
template <class Y, std::int64_t Count> struct fitted_shape {
    static constexpr dims value = [] {
        dims out = dims_of_operand<Y>;
        out[0] = Count;
        return out;
    }();
};
// Checks x, y and, if there are any, the weights.
struct polyfit_points {
    static constexpr char const* called = "polyfit";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        dims const &x = given[0].shape, &y = given[1].shape;
        if (!may_equal(dims{{y[0]}, 1}, x)) return "x and y must have as many rows";
        if (given.size() == 3 && !may_equal(given[2].shape, x)) return "weights must have the shape of x";
        return x[0] == 0 || y[0] == 0 ? "needs at least one point" : nullptr;
    }
};
template <int Degree> struct polyfit_fn {
    static constexpr char const* called = "polyfit";
    template <class X, class Y, class... W> constexpr auto operator()(X const& x, Y const& y, W const&... weights) const {
        constexpr dtype given = promote(promote(to_inexact(dtype_of_operand<X>), to_inexact(dtype_of_operand<Y>)),
                                        (to_inexact(dtype_of_operand<W>), ..., to_inexact(dtype_of_operand<Y>)));
        using T = ctype<computed_dtype(given)>;
        trace_scope& scope = *scope_among(x, y, weights...);
        node_id w = node_id::none;
        ((w = cast_to<T>(weights).id()), ...);
        auto const places = with_check<polyfit_points>(cast_to<T>(x), x, y, weights...);
        node_id const out = record_polyfit(scope, places.id(), cast_to<T>(y).id(), w, Degree);
        return cast_to<ctype<given>>(expr<T, typename shape_of_dims<fitted_shape<Y, Degree + 1>>::type>(scope, out));
    }
};
template <int Degree, class X, class Y, class... W> constexpr bool check_polyfit() {
    constexpr bool is_degree = Degree >= 0;
    static_assert(is_degree, "tx: polyfit: the degree must not be negative");
    constexpr dims x = dims_of_operand<X>, y = dims_of_operand<Y>;
    constexpr bool are_points = x.rank == 1 && (y.rank == 1 || y.rank == 2) && may_equal(dims{{y[0]}, 1}, x) &&
                                (may_equal(dims_of_operand<W>, x) && ...) && !any_extent_is_zero(x);
    static_assert(are_points, "tx: polyfit: takes vectors x and y of one extent, or a matrix y with as many rows, and weights of "
                              "the shape of x, whose types tell their rank");
    constexpr bool are_real = is_real_operand<X> && is_real_operand<Y> && (is_real_operand<W> && ...) && holds_numbers<X> &&
                              holds_numbers<Y> && (holds_numbers<W> && ...);
    static_assert(are_real, "tx: polyfit: takes real numbers");
    return is_degree && are_points && are_real;
}

// Evaluates by Horner's rule, the highest coefficient first. Up to this number of coefficients it is one loop over x; with more,
// the graph has a loop over the coefficients.
inline constexpr std::int64_t most_coefficients_in_a_row = 32;
TRACEXPR_ONCE constexpr node_id record_horner(lowering& low, node_id p, node_id x) {
    std::int64_t const count = low.extent(p, 0);
    node_id value = node_id::none;
    for (std::int64_t k = 0; k < count; ++k) {
        node_id const next = low.squeeze(low.slice(p, 0, k, k + 1), 0);
        value = k == 0 ? next : low.append(op::add, low.append(op::multiply, value, x), next);
    }
    if (count == 0) value = low.zero_like(x);
    return count > 1 || low.rank(x) == 0 ? value : low.append(op::broadcast_to, value, x);
}
struct polyval_fn {
    static constexpr char const* called = "polyval";
    template <class P, class X> constexpr auto operator()(P const& given, X const& at) const {
        using T = ctype<common_dtype<P, X> == dtype::boolean ? dtype::int64 : common_dtype<P, X>>;
        trace_scope& scope = *scope_among(given, at);
        auto const p = cast_to<T>(given);
        auto const x = searchsorted_fn<side::right>::to_expr<T>(scope, at);
        constexpr std::int64_t count = extent_of<typename decltype(p)::shape_type, 0>;
        if constexpr (count != dyn && count <= most_coefficients_in_a_row) {
            lowering low(scope);
            return expr<T, typename decltype(x)::shape_type>(scope, record_horner(low, p.id(), x.id()));
        } else {
            auto const first = take<0>(p, std::int64_t{0});
            auto const start = full_like_fn{}(x, first);
            auto const next = [&](auto const& value, auto const& coefficient) {
                return std::pair(value * x + coefficient, std::tuple<>{});
            };
            return tx::scan(next, start, slice(p, range<1, open>)).first;
        }
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Fits the polynomial of this degree with the least sum of squared distances from points: x (m) and y (m) or (m, k) ->
// coefficients (degree + 1) or (degree + 1, k), the highest power first. Weights (m) multiply the distances before they are
// squared. It uses QR of the powers of x. If the points don't determine the coefficients, up to rounding, it finds the shortest
// ones, as NumPy does, which have no derivatives. Integers give float64.
template <int Degree, array_operand X, array_operand Y> [[nodiscard]] constexpr auto polyfit(X const& x, Y const& y) {
    return detail::apply_if<detail::check_polyfit<Degree, X, Y>()>(detail::polyfit_fn<Degree>{}, x, y);
}
template <int Degree, array_operand X, array_operand Y, array_operand W>
[[nodiscard]] constexpr auto polyfit(X const& x, Y const& y, W const& weights) {
    return detail::apply_if<detail::check_polyfit<Degree, X, Y, W>()>(detail::polyfit_fn<Degree>{}, x, y, weights);
}
// Evaluates the polynomial at x, which has any shape; p is the vector of its coefficients, the highest power first. Integers give
// integers.
template <array_operand P, operand X> [[nodiscard]] constexpr auto polyval(P const& p, X const& x) {
    constexpr bool is_vector = detail::dims_of_operand<P>.rank == 1;
    constexpr bool are_numbers = detail::holds_numbers<P> && detail::holds_numbers<X>;
    static_assert(is_vector, "tx: polyval: the coefficients must be a vector whose type tells its rank");
    static_assert(are_numbers, "tx: polyval: takes numbers, not strings");
    return detail::apply_if<(is_vector && are_numbers)>(detail::polyval_fn{}, p, x);
}
template <class Unused = void, class... A> constexpr detail::failed polyfit(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>,
                  "tx: polyfit: takes points x and y, and weights, with the degree in <>: tx::polyfit<1>(x, y)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
