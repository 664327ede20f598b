// What the derivatives of ops on matrices are written in: products, triangles, and systems with them.
#pragma once

#include <tracexpr/ad/pointwise_rules.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/graph/triangle.hpp>

namespace tx::ad::detail {

constexpr value product(value const& a, value const& b) {
    return a.is_zero() || b.is_zero() ? value{} : record(op::matmul, {a, b});
}

constexpr value solve_triangular(value const& a, value const& b, triangle form) {
    return record(op::solve_triangular, {a, b}, attribute_list(form.lower, form.transposed, form.unit));
}

// x where a comparison of row and column holds, else 0.
constexpr value where_places(op comparison, value const& x) {
    if (x.is_zero()) return x;
    value const rows = place_along(x, x.rank() - 2), columns = place_along(x, x.rank() - 1);
    return where(record(comparison, {rows, columns}), x, value{});
}
constexpr value triangle_of(value const& x, bool lower, bool unit) {
    return where_places(lower ? (unit ? op::greater : op::greater_equal) : (unit ? op::less : op::less_equal), x);
}
constexpr value strictly_lower(value const& x) { return triangle_of(x, true, true); }
constexpr value upper(value const& x) { return triangle_of(x, false, false); }

} // namespace tx::ad::detail
