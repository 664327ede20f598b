// This file holds the derivatives of qr and svd. The sources are S. Walter and L. Lehmann, Algorithmic differentiation of linear
// algebra functions (2010); M. Giles, Collected matrix derivative results (2008), 3.2; J. Townsend, Differentiating the singular
// value decomposition (2016).
#pragma once

#include <tracexpr/ad/matrix_values.hpp>

namespace tx::ad {
namespace detail {

// Gives the Y of Y R = x, or of Y R^T = x, where R is upper triangular.
constexpr value divided_by(value const& x, value const& r, bool transposed) {
    return x.is_zero() ? x : swap_last_axes(solve_triangular(r, swap_last_axes(x), {.transposed = !transposed}));
}

// qr_parts holds the parts of A = Q R. If A has more columns than rows, its first columns A1 are Q R1, and for the other columns
// A2 the elements of R are Q^T A2. Where only the run knows the shape, A2 stands in its place in a matrix that is 0 elsewhere and
// may be 0 everywhere.
struct qr_parts {
    value a, q, r;
    int last;
    bool is_wide = false, is_open = false;
    std::int64_t known = 0; // how many columns A1 has if A is wide
    constexpr explicit qr_parts(site const& n)
        : a{n.a}, q{n.y}, r{n.y.owner(), append_result(n.y.owner(), n.y.id(), 1)}, last{n.y.rank() - 1} {
        std::int64_t const rows = a.shape()[last - 1], columns = a.shape()[last];
        is_open = rows == dyn || columns == dyn;
        is_wide = !is_open && rows < columns;
        known = rows;
    }
    // Gives the first columns of a matrix with the rows of A (or of R): those that belong to A1.
    constexpr value first_of_a(value const& x) const { return first(x, q); }
    constexpr value first_of_r(value const& x) const { return first(x, is_open ? product(swap_last_axes(q), q) : q); }
    constexpr value others(value const& x) const {
        if (x.is_zero() || (!is_wide && !is_open)) return {};
        if (is_wide) return slice(x, last, known, slice_open);
        node_id const columns_of[]{q.id()};
        value const count(q.owner(), q.owner().append(op::axis_size, dtype::int64, dims{}, columns_of, attribute_list(last)));
        return where(record(op::less, {place_along(x, last), count}), value{}, x);
    }
    // Joins the columns of A1 and A2; either may be zero.
    constexpr value joined(value const& x, value const& y, value const& like) const {
        if (x.is_zero() && y.is_zero()) return x;
        if (is_open)
            return x.is_zero() ? y
                               : record(op::scatter_add, {y.is_zero() ? zeros_like(like) : y, x, place_along(x, last)},
                                        attribute_list(last));
        if (!is_wide) return x;
        value const left = x.is_zero() ? zeros_like(first(like, q)) : x, right = y.is_zero() ? zeros_like(others(like)) : y;
        return record(op::concatenate, {left, right}, attribute_list(last));
    }

private:
    // Gives as many columns of x as `like` has.
    constexpr value first(value const& x, value const& like) const {
        if (x.is_zero()) return x;
        if (is_open) return record(op::take_along_axis, {x, place_along(like, last)}, attribute_list(last));
        return is_wide ? slice(x, last, 0, known) : x;
    }
};
// With W = dA R^-1, X = Q^T W and the antisymmetric O that has X's elements below the diagonal, the tangents are dQ = W + Q (O -
// X) and dR = (X - O) R.
constexpr buffer<value> qr_pushed_forward(site const& n, value const& t) {
    qr_parts const f(n);
    value const r = f.first_of_r(f.r), w = divided_by(f.first_of_a(t), r, false), x = product(swap_last_axes(f.q), w);
    value const below = strictly_lower(x), turn = below - swap_last_axes(below);
    value const dq = w + product(f.q, turn - x);
    value dr = product(x - turn, r);
    dr = f.joined(dr, product(swap_last_axes(dq), f.others(f.a)) + product(swap_last_axes(f.q), f.others(t)), f.r);
    buffer<value> out;
    out.push_back(dq);
    out.push_back(dr);
    return out;
}
// With M = R G_R^T - G_Q^T Q and the symmetric S that has M's lower triangle, the gradient is G_A = (G_Q + Q S) R^-T.
constexpr value qr_pulled_back(site const& n, value const& of_q, value const& of_r) {
    qr_parts const f(n);
    value const r = f.first_of_r(f.r), g = f.first_of_r(of_r), further = f.others(of_r);
    value of_first = of_q, inner{};
    if (!further.is_zero()) of_first = of_first + product(f.others(f.a), swap_last_axes(further));
    if (!g.is_zero()) inner = product(r, swap_last_axes(g));
    if (!of_first.is_zero()) inner = inner - product(swap_last_axes(of_first), f.q);
    if (!inner.is_zero())
        of_first = of_first + product(f.q, triangle_of(inner, true, false) + swap_last_axes(strictly_lower(inner)));
    return f.joined(divided_by(of_first, r, true), product(f.q, further), f.a);
}

// Gives x / y, and 0 where y is 0.
constexpr value quotient_or_zero(value const& x, value const& y) {
    if (x.is_zero()) return x;
    value const none = equal(y, y.like(0));
    return where(none, value{}, x / where(none, y.like(1), y));
}

// With A = U diag(s) V^T, D = U^T dA V and F_ij = 1 / (s_j^2 - s_i^2), the tangents are ds = diag(D), dU = U (F o (D diag(s) +
// diag(s) D^T)) and dV = V (F o (diag(s) D + D^T diag(s))). The part of dA outside of U's columns adds (I - U U^T) dA V
// diag(s)^-1 to dU, and likewise for V. (Townsend, 16 to 23) Where two singular values are equal, their vectors have no
// derivative, nor have those of a 0 outside of the columns; the rule gives 0 there, which is right for a function that doesn't
// depend on those vectors.
struct singular_parts {
    value a, u, s, vh, v, of_rows, of_columns, gaps;
    constexpr explicit singular_parts(site const& n)
        : a{n.a}, u{n.y}, s{n.y.owner(), append_result(n.y.owner(), n.y.id(), 1)},
          vh{n.y.owner(), append_result(n.y.owner(), n.y.id(), 2)}, v{swap_last_axes(vh)} {
        of_rows = unary(op::expand_dims, s, attribute_list(last()));
        of_columns = unary(op::expand_dims, s, attribute_list(last() - 1));
        gaps = (of_columns - of_rows) * (of_columns + of_rows);
    }
    constexpr int last() const { return u.rank() - 1; }
    // Tells whether there may be more rows (or columns) than singular values.
    constexpr bool has_more(int axis) const {
        std::int64_t const here = a.shape()[axis], other = a.shape()[axis == last() ? last() - 1 : last()];
        return here == dyn || other == dyn || here > other;
    }
    constexpr bool is_tall() const { return has_more(last() - 1); }
    constexpr bool is_wide() const { return has_more(last()); }
};
// Gives x without its part in the columns of q.
constexpr value outside_of(value const& q, value const& x) { return x - product(q, product(swap_last_axes(q), x)); }

// Gives the tangents of u, s and vh.
constexpr buffer<value> svd_pushed_forward(site const& n, value const& t) {
    singular_parts const f(n);
    value const moved = product(t, f.v), d = product(swap_last_axes(f.u), moved);
    value const by_columns = d * f.of_columns, by_rows = d * f.of_rows;
    value du = product(f.u, quotient_or_zero(by_columns + swap_last_axes(by_columns), f.gaps)),
          dv = product(f.v, quotient_or_zero(by_rows + swap_last_axes(by_rows), f.gaps));
    if (f.is_tall()) du = du + quotient_or_zero(outside_of(f.u, moved), f.of_columns);
    if (f.is_wide()) dv = dv + quotient_or_zero(outside_of(f.v, product(swap_last_axes(t), f.u)), f.of_columns);
    buffer<value> out;
    out.push_back(du);
    out.push_back(unary(op::diagonal, d, attribute_list(0, f.last() - 1, f.last())));
    out.push_back(swap_last_axes(dv));
    return out;
}
// Gives the gradient of A, by the transpose of the tangent rule.
constexpr value svd_pulled_back(site const& n, value const& of_u, value const& of_s, value const& of_vh) {
    singular_parts const f(n);
    value inner{}, outside{};
    if (!of_u.is_zero()) {
        value const x = quotient_or_zero(product(swap_last_axes(f.u), of_u), f.gaps);
        inner = (x + swap_last_axes(x)) * f.of_columns;
        if (f.is_tall()) outside = product(quotient_or_zero(outside_of(f.u, of_u), f.of_columns), f.vh);
    }
    if (!of_vh.is_zero()) {
        value const of_v = swap_last_axes(of_vh), y = quotient_or_zero(product(f.vh, of_v), f.gaps);
        inner = inner + (y + swap_last_axes(y)) * f.of_rows;
        if (f.is_wide()) outside = outside + product(f.u, swap_last_axes(quotient_or_zero(outside_of(f.v, of_v), f.of_columns)));
    }
    if (!of_s.is_zero())
        inner = inner + where_places(op::equal, broadcast_like(unary(op::expand_dims, of_s, attribute_list(f.last())), f.gaps));
    return product(f.u, product(inner, f.vh)) + outside;
}

} // namespace detail
} // namespace tx::ad
