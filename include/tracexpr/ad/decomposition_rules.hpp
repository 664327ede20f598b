// This file holds the derivatives of ops on square matrices, after M. Giles, Collected matrix derivative results for forward and
// reverse mode algorithmic differentiation (2008), and for cholesky after I. Murray, Differentiation of the Cholesky
// decomposition (2016). cholesky and eigh are functions of (a + a^T) / 2, so the steps of a count as symmetric, and the gradients
// are symmetric.
#pragma once

#include <tracexpr/ad/rectangular_rules.hpp>
#include <tracexpr/trace/least_squares.hpp>

namespace tx::ad {
namespace detail {

// Gives the lower triangle with half the diagonal.
constexpr value lower_half(value const& x) { return triangle_of(x, true, false) - where_places(op::equal, x * 0.5); }

constexpr value symmetric(value const& x) { return (x + swap_last_axes(x)) * 0.5; }

// The tangent of L L^T = A is dL = L phi(L^-1 dA L^-T), where phi is lower_half. (Murray, equation 10)
constexpr value cholesky_pushed_forward(site const& n, value const& t) {
    value const half = solve_triangular(n.y, symmetric(t), {.lower = true});
    return product(n.y, lower_half(solve_triangular(n.y, swap_last_axes(half), {.lower = true})));
}
// The gradient of L L^T = A is the symmetric part of L^-T phi(L^T g) L^-1, where phi is lower_half.
constexpr value cholesky_pulled_back(site const& n, value const& g) {
    value const inner = lower_half(product(swap_last_axes(n.y), g));
    value const half = solve_triangular(n.y, swap_last_axes(inner), {.lower = true, .transposed = true}); // (inner L^-1)^T
    return symmetric(solve_triangular(n.y, swap_last_axes(half), {.lower = true, .transposed = true}));
}

// For op(A) x = b the tangent is dx = op(A)^-1 (db - op(dA) x). With h = op(A)^-T g the cotangent of b is h, and that of op(A) is
// -h x^T. (Giles, 2.3.1)
constexpr value solution_step(value const& y, value const& step_of_a, value const& step_of_b, bool transposed) {
    if (step_of_a.is_zero()) return step_of_b;
    return step_of_b - product(transposed ? swap_last_axes(step_of_a) : step_of_a, y);
}
constexpr value matrix_cotangent(value const& y, value const& h, bool transposed) {
    return -(transposed ? product(y, swap_last_axes(h)) : product(h, swap_last_axes(y)));
}

constexpr value solve_triangular_pushed_forward(site const& n, table_view<value> t) {
    attribute_list const attributes = n.y.attributes();
    value const step = t[0].is_zero() ? t[0] : triangle_of(t[0], attributes[0] != 0, attributes[2] != 0);
    return record(op::solve_triangular, {n.a, solution_step(n.y, step, t[1], attributes[1] != 0)}, attributes);
}
constexpr value solve_triangular_pulled_back(site const& n, std::size_t k, value const& g) {
    attribute_list const attributes = n.y.attributes();
    value const h = record(op::solve_triangular, {n.a, g}, attribute_list(attributes[0], 1 - attributes[1], attributes[2]));
    if (k == 1) return sum_to(h, n.b);
    return sum_to(triangle_of(matrix_cotangent(n.y, h, attributes[1] != 0), attributes[0] != 0, attributes[2] != 0), n.a);
}

// The LU factors (operand c) and the rows' places (operand 3) follow from a, so a's tangent stands for their change.
constexpr value solve_pushed_forward(site const& n, table_view<value> t) {
    attribute_list const attributes = n.y.attributes();
    return record(op::solve, {n.a, solution_step(n.y, t[0], t[1], attributes[0] != 0), n.c, n.y.operand(3)}, attributes);
}
constexpr value solve_pulled_back(site const& n, std::size_t k, value const& g) {
    bool const transposed = n.y.attributes()[0] != 0;
    value const h = record(op::solve, {n.a, g, n.c, n.y.operand(3)}, attribute_list(!transposed));
    return k == 1 ? sum_to(h, n.b) : sum_to(matrix_cotangent(n.y, h, transposed), n.a);
}

// The tangent rule is in trace/least_squares.hpp. The gradient is its transpose: with h = P^T g the cotangent of b is h, and that
// of a is r (P h)^T + P^T x (g - a^T h)^T - h x^T. The first operand gets no cotangent.
struct least_squares_parts {
    value x, p;
    tx::detail::least_squares low;
    constexpr explicit least_squares_parts(site const& n)
        : x{n.y}, p{has_right_side(n) ? n.y.operand(3) : n.y},
          low(n.y.owner(), x.id(), n.b.id(), has_right_side(n) ? n.c.id() : node_id::none, p.id()) {}
    static constexpr bool has_right_side(site const& n) { return n.y.get().arity == 4; }
};
constexpr value least_squares_pushed_forward(site const& n, table_view<value> t) {
    value const of_b = t.size() > 2 ? t[2] : value{};
    if (t[1].is_zero() && of_b.is_zero()) return {};
    return {n.y.owner(), least_squares_parts(n).low.step(t[1].id(), of_b.id())};
}
constexpr value least_squares_pulled_back(site const& n, std::size_t k, value const& g) {
    if (k == 0) return {};
    least_squares_parts f(n);
    value const to_columns = swap_last_axes(f.p), h = product(to_columns, g);
    if (k == 2) return sum_to(h, n.c);
    value const r{n.y.owner(), f.low.residual()}, outside = g - product(swap_last_axes(n.b), h);
    value const turned = product(r, swap_last_axes(product(f.p, h))) + product(product(to_columns, f.x), swap_last_axes(outside));
    return sum_to(turned - product(h, swap_last_axes(f.x)), n.b);
}

// With P A = L U and F = L^-1 P dA U^-1, the tangents are dL = L (the part of F below the diagonal) and dU = (the rest of F) U.
// The result packs L and U. The rows' places and the signs of the swaps don't change.
struct lu_factors {
    value both, places; // The shape of `places` is that of `both`.
    constexpr explicit lu_factors(site const& n) : both{n.y} {
        value const of_rows{n.y.owner(), append_result(n.y.owner(), n.y.id(), 1)};
        places = broadcast_like(unary(op::expand_dims, of_rows, attribute_list(both.rank() - 1)), both);
    }
    constexpr attribute_list rows() const { return attribute_list(both.rank() - 2); }
    constexpr value lower_with_ones() const {
        return strictly_lower(both) + where_places(op::equal, broadcast_like(both.like(1), both));
    }
};
constexpr value lu_pushed_forward(site const& n, value const& t) {
    lu_factors const f(n);
    value const moved = record(op::take_along_axis, {t, f.places}, f.rows());
    value const half = solve_triangular(f.both, moved, {.lower = true, .unit = true});
    value const inner = swap_last_axes(solve_triangular(f.both, swap_last_axes(half), {.transposed = true}));
    return product(f.lower_with_ones(), strictly_lower(inner)) + product(upper(inner), upper(f.both));
}
constexpr value lu_pulled_back(site const& n, value const& g) {
    lu_factors const f(n);
    value const of_lower = product(swap_last_axes(f.lower_with_ones()), strictly_lower(g));
    value const of_upper = product(upper(g), swap_last_axes(upper(f.both)));
    value const inner = strictly_lower(of_lower) + upper(of_upper);
    value const half = solve_triangular(f.both, swap_last_axes(inner), {}); // (inner U^-T)^T
    value const moved = solve_triangular(f.both, swap_last_axes(half), {.lower = true, .transposed = true, .unit = true});
    return record(op::scatter_add, {zeros_like(n.a), moved, f.places}, f.rows());
}

// With A = V diag(w) V^T and S = V^T dA V, the tangents are dw = diag(S) and dV = V (S / (w_j - w_i)). (Giles, 3.1) Where two
// eigenvalues are equal, their vectors have no derivative; the rule gives 0 there, which is right for a function that doesn't
// depend on those vectors.
struct eigen_parts {
    value vectors, gap_factors;
    constexpr explicit eigen_parts(site const& n) : vectors{n.y} {
        gap_factors = reciprocal_gaps({n.y.owner(), append_result(n.y.owner(), n.y.id(), 1)});
    }
};
// Gives the tangents of the vectors and of the values.
constexpr buffer<value> eigh_pushed_forward(site const& n, value const& t) {
    eigen_parts const e(n);
    value const inner = product(swap_last_axes(e.vectors), product(symmetric(t), e.vectors));
    buffer<value> out;
    out.push_back(product(e.vectors, inner * e.gap_factors));
    out.push_back(unary(op::diagonal, inner, attribute_list(0, n.y.rank() - 2, n.y.rank() - 1)));
    return out;
}
constexpr value eigh_pulled_back(site const& n, value const& of_vectors, value const& of_values) {
    eigen_parts const e(n);
    value inner = product(swap_last_axes(e.vectors), of_vectors) * e.gap_factors;
    if (!of_values.is_zero()) {
        value const rows = unary(op::expand_dims, of_values, attribute_list(n.y.rank() - 1));
        inner = inner + where_places(op::equal, broadcast_like(rows, e.vectors));
    }
    return symmetric(product(e.vectors, product(inner, swap_last_axes(e.vectors))));
}
} // namespace detail

// Gives the gradient with respect to operand k of a decomposition or a solve. g holds the gradients of all results, zero for
// those without.
constexpr value decomposition_pulled_back(site const& n, std::size_t k, table_view<value> g) {
    switch (n.code()) {
    case op::cholesky: return detail::cholesky_pulled_back(n, g[0]);
    case op::lu: return g[0].is_zero() ? value{} : detail::lu_pulled_back(n, g[0]);
    case op::eigh: return detail::eigh_pulled_back(n, g[0], g[1]);
    case op::qr: return detail::qr_pulled_back(n, g[0], g[1]);
    case op::svd: return detail::svd_pulled_back(n, g[0], g[1], g[2]);
    case op::solve_triangular: return detail::solve_triangular_pulled_back(n, k, g[0]);
    default: return detail::solve_pulled_back(n, k, g[0]);
    }
}
// Gives the tangents of all results of a decomposition or a solve.
constexpr buffer<value> decomposition_pushed_forward(site const& n, table_view<value> t) {
    auto const first = [&](value const& x) {
        buffer<value> out(static_cast<std::size_t>(info(n.code()).results));
        out[0] = x;
        return out;
    };
    switch (n.code()) {
    case op::cholesky: return first(detail::cholesky_pushed_forward(n, t[0]));
    case op::lu: return first(detail::lu_pushed_forward(n, t[0]));
    case op::eigh: return detail::eigh_pushed_forward(n, t[0]);
    case op::qr: return detail::qr_pushed_forward(n, t[0]);
    case op::svd: return detail::svd_pushed_forward(n, t[0]);
    case op::solve_triangular: return first(detail::solve_triangular_pushed_forward(n, t));
    default: return first(detail::solve_pushed_forward(n, t));
    }
}

} // namespace tx::ad
