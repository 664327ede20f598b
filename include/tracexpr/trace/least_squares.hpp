// This file holds the least-squares solution x = P b, where P is the pseudo-inverse of a, and its derivatives with respect to a
// and b; x is the shortest of the solutions. Source: G. Golub and V. Pereyra, The differentiation of pseudo-inverses and
// nonlinear least squares problems whose variables separate (1973), equation 4.12. The formula contains no singular values, so
// they may be equal; a must keep its rank.
#pragma once

#include <tracexpr/trace/linalg.hpp>

namespace tx::detail {

// Records x and its derivatives. Without b, b is the identity, and x is P itself.
class least_squares : public matrix_lowering {
public:
    constexpr least_squares(graph& g, node_id x, node_id a, node_id b, node_id p)
        : matrix_lowering(g), x_{x}, a_{a}, b_{b}, p_{p} {}

    TRACEXPR_ONCE constexpr node_id residual() {
        node_id const reached = append(op::matmul, a_, x_);
        return append(op::subtract, b_ == node_id::none ? identity_like(reached) : b_, reached);
    }
    // dx = w + P (db - da x - a w + P^T da^T r), where w = da^T P^T x and r = b - a x. A step that is none counts as 0.
    TRACEXPR_ONCE constexpr node_id step(node_id of_a, node_id of_b) {
        if (of_a == node_id::none) return append(op::matmul, p_, of_b);
        node_id const back = swap_last_axes(of_a), to_columns = swap_last_axes(p_);
        node_id const w = append(op::matmul, back, append(op::matmul, to_columns, x_));
        node_id const lost = append(op::add, append(op::matmul, of_a, x_), append(op::matmul, a_, w));
        node_id moved = append(op::matmul, to_columns, append(op::matmul, back, residual()));
        if (of_b != node_id::none) moved = append(op::add, moved, of_b);
        return append(op::add, w, append(op::matmul, p_, append(op::subtract, moved, lost)));
    }

private:
    node_id x_, a_, b_, p_;
};

// Records P, and x where there is a b, as functions of a and b, with derivatives. Their values have been computed already; for
// dual numbers the tangents are added here.
struct least_squares_solution {
    node_id p = node_id::none, x = node_id::none;

    constexpr least_squares_solution(graph& g, node_id a, node_id inverse, node_id b = node_id::none,
                                     node_id found = node_id::none)
        : p{inverse}, x{found} {
        for (int depth = 1, last = dual_depth(g[a].type); depth <= last; ++depth) add_tangents(g, a, b, depth);
        p = with_derivative(g, p, a, node_id::none, node_id::none);
        if (b != node_id::none) x = with_derivative(g, x, a, b, p);
    }

private:
    // Adds the first-order change by the outermost tangent of duals of that depth; duals hold no higher order.
    TRACEXPR_ONCE constexpr void add_tangents(graph& g, node_id a, node_id b, int depth) {
        matrix_lowering low(g);
        dtype const outer = dual_of(primal(g[a].type), depth), inner = dual_of(primal(g[a].type), depth - 1);
        auto const value = [&](node_id of) { return low.as(low.as(of, inner), outer); };
        auto const tangent = [&](node_id of) { return low.append(op::subtract, low.as(of, outer), value(of)); };
        node_id const at = value(a), step = tangent(a);
        p = low.as(p, outer);
        if (b != node_id::none) {
            node_id const right = value(b), step_of_right = tangent(b);
            x = low.as(x, outer);
            x = low.append(op::add, x, least_squares(g, x, at, right, p).step(step, step_of_right));
        }
        p = low.append(op::add, p, least_squares(g, p, at, node_id::none, p).step(step, node_id::none));
    }
    TRACEXPR_ONCE static constexpr node_id with_derivative(graph& g, node_id value, node_id a, node_id b, node_id p) {
        matrix_lowering low(g);
        node_id const operands[]{low.append(op::stop_gradient, value), a, b, p};
        return low.append(op::least_squares, g[value].type, {operands, b == node_id::none ? 2u : 4u});
    }
};

} // namespace tx::detail
