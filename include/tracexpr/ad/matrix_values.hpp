// This file records the products, triangles and linear systems that the derivatives of matrix ops are made of.
#pragma once

#include <tracexpr/ad/pointwise_rules.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/graph/triangle.hpp>

namespace tx::ad::detail {

TRACEXPR_ONCE constexpr value product(value const& a, value const& b) {
    return a.is_zero() || b.is_zero() ? value{} : record(op::matmul, {a, b});
}

TRACEXPR_ONCE constexpr value solve_triangular(value const& a, value const& b, triangle options) {
    return record(op::solve_triangular, {a, b}, attribute_list(options.lower, options.transposed, options.unit));
}

// Gives the x of a x = b.
TRACEXPR_ONCE constexpr value solution(value const& a, value const& b) {
    value const factors = unary(op::lu, a), places{a.owner(), append_result(a.owner(), factors.id(), 1)};
    return record(op::solve, {a, b, factors, places}, attribute_list(0));
}
// Gives 1 / (w_j - w_i) for eigenvalues w, (..., n) -> (..., n, n), with 0 where two are equal.
TRACEXPR_ONCE constexpr value reciprocal_gaps(value const& values) {
    int const last = values.rank();
    value const gaps =
        unary(op::expand_dims, values, attribute_list(last - 1)) - unary(op::expand_dims, values, attribute_list(last));
    value const are_equal = equal(gaps, gaps.like(0));
    return where(are_equal, value{}, 1 / where(are_equal, gaps.like(1), gaps));
}

// Gives x where the comparison of an element's row number with its column number holds, and 0 elsewhere.
TRACEXPR_ONCE constexpr value where_places(op comparison, value const& x) {
    if (x.is_zero()) return x;
    value const rows = place_along(x, x.rank() - 2), columns = place_along(x, x.rank() - 1);
    return where(record(comparison, {rows, columns}), x, value{});
}
// Gives the lower or the upper triangle of x, with 0 elsewhere, and on the diagonal too if `unit`.
TRACEXPR_ONCE constexpr value triangle_of(value const& x, bool lower, bool unit) {
    return where_places(lower ? (unit ? op::greater : op::greater_equal) : (unit ? op::less : op::less_equal), x);
}
constexpr value strictly_lower(value const& x) { return triangle_of(x, true, true); }
constexpr value upper(value const& x) { return triangle_of(x, false, false); }

} // namespace tx::ad::detail
