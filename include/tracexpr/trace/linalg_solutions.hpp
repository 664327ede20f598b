// This file holds tx::linalg::pinv, lstsq and matrix_power. Batches of matrices lie in the last two axes. float stays float,
// integers become double.
#pragma once

#include <tracexpr/trace/least_squares.hpp>
#include <tracexpr/trace/linalg_factors.hpp>

#include <limits>

namespace tx {
namespace detail {

TRACEXPR_ONCE constexpr dims with_swapped_sides(dims d) {
    std::int64_t const rows = d[d.rank - 2];
    d[d.rank - 2] = d[d.rank - 1], d[d.rank - 1] = rows;
    return d;
}
// The results of least squares for a x = b: x, the sums of squared residuals, a's rank, and its singular values.
enum class least_squares_part { solution, residuals, rank, singular_values };
TRACEXPR_ONCE constexpr inferred least_squares_shape(least_squares_part part, dims const& a, dims const& b) {
    if (a.rank < 2) return {{}, "takes a matrix, or several in the last two axes"};
    bool const is_vector = b.rank == 1;
    inferred out = b.rank < 1 ? inferred{{}, "none"} : matmul_shape(with_swapped_sides(a), is_vector ? dims{{b[0], 1}, 2} : b);
    if (out.problem) return {{}, "the right side must have as many rows as the matrix, and leading extents that broadcast"};
    dims& d = out.shape;
    switch (part) {
    case least_squares_part::solution: d.rank -= is_vector; break;
    case least_squares_part::residuals:
        d[d.rank - 2] = d[d.rank - 1];
        d.rank -= is_vector ? 2 : 1;
        break;
    case least_squares_part::rank:
        d = a;
        d.rank -= 2;
        break;
    case least_squares_part::singular_values: d = decomposed_part(op::svd, a, 1); break;
    }
    return out;
}
template <least_squares_part Part, class A, class B> struct least_squares_owner {
    static constexpr inferred rule() {
        dims const a = dims_of_operand<A>, b = dims_of_operand<B>;
        if (a.rank < 0 || b.rank < 0) return {dims{{}, dims::unknown_rank}};
        return least_squares_shape(Part, a, b);
    }
};
template <class A, class B> inline constexpr bool is_right_side_of_any =
    checked_shape<least_squares_owner<least_squares_part::solution, A, B>>::rule.problem == nullptr;
template <class A> struct pinv_owner {
    static constexpr inferred rule() {
        dims const d = dims_of_operand<A>;
        return {d.rank < 2 ? d : with_swapped_sides(d)};
    }
};

// Decomposes a = U diag(s) V^T and takes the reciprocals of the singular values that do not count as 0. Of dual numbers only the
// values are decomposed.
class svd_lowering : public matrix_lowering {
public:
    constexpr svd_lowering(trace_scope& scope, node_id a, node_id ratio) : matrix_lowering(scope), all_{append(op::svd, a)} {
        dtype const of_values = primal(type(a));
        u_ = as(all_, of_values), s_ = as(singular_values(), of_values), vh_ = as(result(all_, 2), of_values);
        if (ratio != node_id::none) ratio = as(ratio, of_values);
        if (shape(s_)[rank(s_) - 1] == 0) counts_ = test(op::greater, s_, zero_like(s_));
        else counts_ = test(op::greater, s_, append(op::multiply, largest(), ratio == node_id::none ? rounding_of(a) : ratio));
        node_id const safe = choose(counts_, s_, number_like(s_, 1));
        reciprocals_ = choose(counts_, append(op::reciprocal, safe), zero_like(s_));
    }
    constexpr node_id singular_values() { return result(all_, 1); }
    constexpr node_id rank_of_matrix() { return reduce(op::sum, as(counts_, dtype::int64), attribute_list(rank(counts_) - 1)); }
    // inverse() is V diag(1 / s) U^T; times(b) is its product with b.
    constexpr node_id inverse() { return append(op::matmul, swap_last_axes(vh_), weighted(swap_last_axes(u_))); }
    TRACEXPR_ONCE constexpr node_id times(node_id b) {
        return append(op::matmul, swap_last_axes(vh_), weighted(append(op::matmul, swap_last_axes(u_), b)));
    }

private:
    // Gives the first singular value, or 0 where the run finds that there is none.
    TRACEXPR_ONCE constexpr node_id largest() {
        int const last = rank(s_) - 1;
        if (extent(s_, last) != dyn) return append(op::max, s_, attribute_list(1, last));
        node_id const is_first = test(op::equal, iota_like<std::int64_t>(s_, last), literal(std::int64_t{0}));
        return append(op::sum, choose(is_first, s_, zero_like(s_)), attribute_list(1, last));
    }
    constexpr node_id weighted(node_id rows) { return append(op::multiply, rows, expand(reciprocals_, rank(reciprocals_))); }
    // Gives the larger of a's extents times the distance from 1 to the next number of the dtype.
    TRACEXPR_ONCE constexpr node_id rounding_of(node_id a) {
        bool const is_single = type(s_) == dtype::float32;
        double const epsilon = is_single ? double{std::numeric_limits<float>::epsilon()} : std::numeric_limits<double>::epsilon();
        std::int64_t const rows = extent(a, rank(a) - 2), columns = extent(a, rank(a) - 1);
        if (rows != dyn && columns != dyn) return number_like(s_, epsilon * static_cast<double>(rows < columns ? columns : rows));
        node_id const larger =
            append(op::maximum, axis_size<std::int64_t>(a, rank(a) - 2), axis_size<std::int64_t>(a, rank(a) - 1));
        return append(op::multiply, as(larger, type(s_)), number_like(s_, epsilon));
    }

    node_id all_, u_ = node_id::none, s_ = node_id::none, vh_ = node_id::none, counts_ = node_id::none,
                  reciprocals_ = node_id::none;
};

template <class T, class... Ratio> constexpr node_id record_ratio(trace_scope& scope, Ratio const&... ratio) {
    node_id out = node_id::none;
    ((out = record_operand<dtype_of<T>>(scope, ratio)), ...);
    return out;
}
TRACEXPR_ONCE constexpr node_id record_pinv_here(trace_scope& scope, node_id a, node_id ratio) {
    lowering(scope).require_rank(op::svd, a);
    svd_lowering low(scope, a, ratio);
    return least_squares_solution(scope.recorded, a, low.inverse()).p;
}
TRACEXPR_HERE_OR_ONCE(node_id, record_pinv, record_pinv_here, (trace_scope & scope, node_id a, node_id ratio), (scope, a, ratio))

struct least_squares_nodes {
    node_id solution, residuals, rank, singular_values;
};
TRACEXPR_ONCE constexpr least_squares_nodes record_lstsq_here(trace_scope& scope, char const* called, node_id a, node_id b,
                                                              node_id ratio) {
    lowering(scope).require_rank(op::svd, a);
    lowering(scope).require_rank(op::svd, b);
    dims const given[]{scope.recorded.shape_of(a), scope.recorded.shape_of(b)};
    if (inferred const rule = least_squares_shape(least_squares_part::solution, given[0], given[1]); rule.problem)
        throw_shape_error(called, rule.problem, given);
    svd_lowering low(scope, a, ratio);
    bool const is_vector = given[1].rank == 1;
    node_id const columns = is_vector ? low.expand(b, 1) : b, of_values = low.as(columns, primal(low.type(b)));
    node_id const inverse = low.inverse(), of_inverse = low.times(of_values);
    node_id const found = least_squares_solution(scope.recorded, a, inverse, columns, of_inverse).x;
    node_id const residual = low.append(op::subtract, columns, low.append(op::matmul, a, found));
    node_id const left = low.reduce(op::sum, low.append(op::square, residual), attribute_list(low.rank(residual) - 2));
    auto const without_columns = [&](node_id part) { return is_vector ? low.squeeze(part, low.rank(part) - 1) : part; };
    node_id const solution = without_columns(found), residuals = without_columns(left), rank = low.rank_of_matrix();
    return {solution, residuals, rank, low.singular_values()};
}
TRACEXPR_HERE_OR_ONCE(least_squares_nodes, record_lstsq, record_lstsq_here,
                      (trace_scope & scope, char const* called, node_id a, node_id b, node_id ratio),
                      (scope, called, a, b, ratio))

struct pinv_fn {
    static constexpr char const* called = "pinv";
    template <class A, class... Ratio> constexpr auto operator()(A const& a, Ratio const&... ratio) const {
        using T = ctype<matrix_dtype<A>>;
        trace_scope& scope = *scope_among(a, ratio...);
        node_id const x = record_operand<dtype_of<T>>(scope, a);
        return expr<T, shape_from<checked_shape<pinv_owner<A>>>>(scope, record_pinv(scope, x, record_ratio<T>(scope, ratio...)));
    }
};
struct lstsq_fn {
    static constexpr char const* called = "lstsq";
    template <class... Ratio> static void explain(dims const& a, dims const& b, Ratio const&...) {
        dims const given[]{a, b};
        if (inferred const rule = least_squares_shape(least_squares_part::solution, a, b); rule.problem)
            throw_shape_error(called, rule.problem, given);
    }
    template <class A, class B, class... Ratio> constexpr auto operator()(A const& a, B const& b, Ratio const&... ratio) const {
        using T = ctype<matrix_dtype<A, B>>;
        trace_scope& scope = *scope_among(a, b, ratio...);
        node_id const x = record_operand<dtype_of<T>>(scope, a), y = record_operand<dtype_of<T>>(scope, b);
        least_squares_nodes const found = record_lstsq(scope, called, x, y, record_ratio<T>(scope, ratio...));
        return std::tuple(typed<least_squares_part::solution, T, A, B>(scope, found.solution),
                          typed<least_squares_part::residuals, T, A, B>(scope, found.residuals),
                          typed<least_squares_part::rank, std::int64_t, A, B>(scope, found.rank),
                          typed<least_squares_part::singular_values, T, A, B>(scope, found.singular_values));
    }

private:
    template <least_squares_part Part, class T, class A, class B> static constexpr auto typed(trace_scope& scope, node_id node) {
        return expr<T, shape_from<checked_shape<least_squares_owner<Part, A, B>>>>(scope, node);
    }
};

template <int N> struct matrix_power_recipe {
    static constexpr char const* called = "matrix_power";
    static constexpr op code = N < 0 ? op::solve : op::matmul;
    static constexpr std::array<node_id, 1> record(matrix_lowering& low, node_id a) {
        if (N == 0) return std::array<node_id, 1>{low.identity_like(a)};
        node_id square = N < 0 ? inverse_recipe::record(low, a)[0] : a, out = node_id::none;
        for (unsigned rest = N < 0 ? 0u - static_cast<unsigned>(N) : static_cast<unsigned>(N);;) {
            if (rest & 1u) out = out == node_id::none ? square : low.append(op::matmul, out, square);
            if ((rest >>= 1) == 0) return std::array<node_id, 1>{out};
            square = low.append(op::matmul, square, square);
        }
    }
};

inline namespace TRACEXPR_CALLS {

template <class A, class... Ratio> constexpr auto checked_pinv(A const& a, Ratio const&... ratio) {
    constexpr bool has_dtype = have_matrix_dtype<A>;
    constexpr bool fits = is_matrix<op::svd, A>;
    static_assert(has_dtype, "tx: linalg::pinv: takes float, double and duals of them; cast a first");
    static_assert(fits, "tx: linalg::pinv: takes a matrix, or several in the last two axes; its shape stands in the note above");
    return apply_if<(has_dtype && fits)>(pinv_fn{}, a, ratio...);
}
template <class A, class B, class... Ratio> constexpr auto checked_lstsq(A const& a, B const& b, Ratio const&... ratio) {
    constexpr bool has_dtype = have_matrix_dtype<A, B>;
    constexpr bool fits = is_right_side_of_any<A, B>;
    static_assert(has_dtype, "tx: linalg::lstsq: takes float, double and duals of them; cast a and b first");
    static_assert(fits, "tx: linalg::lstsq: takes matrices a (..., m, n) and b (..., m, k) or (m), leading extents broadcasting; "
                        "the shapes stand in the note above");
    return apply_if<(has_dtype && fits)>(lstsq_fn{}, a, b, ratio...);
}

} // namespace TRACEXPR_CALLS
} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// The pseudo-inverse (Moore and Penrose): (..., m, n) -> (..., n, m). Singular values of at most `ratio` times the largest count
// as 0; the default ratio is max(m, n) times the dtype's epsilon. Derivatives hold for changes of a that keep its rank.
template <array_operand A> [[nodiscard]] constexpr auto pinv(A const& a) { return detail::checked_pinv(a); }
template <array_operand A> [[nodiscard]] constexpr auto pinv(A const& a, double ratio) { return detail::checked_pinv(a, ratio); }

// A tuple (x, residuals, rank, s): the x that minimizes |a x - b|, the shortest one of several; the sum of squared residuals for
// each column of b; the rank of a, int64; the singular values of a. The operands are (..., m, n) and (..., m, k), or a vector b
// of m elements. `ratio` and derivatives are as in pinv.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto lstsq(A const& a, B const& b) {
    return detail::checked_lstsq(a, b);
}
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto lstsq(A const& a, B const& b, double ratio) {
    return detail::checked_lstsq(a, b, ratio);
}

// a to the power N: matrix_power<3>(a). (..., n, n) -> (..., n, n). N = 0 gives the identity, a negative N the power of inv(a).
// It squares repeatedly: about 2 log2 |N| products at most.
template <int N, array_operand A> [[nodiscard]] constexpr auto matrix_power(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_square = detail::is_square<A>;
    static_assert(has_dtype, "tx: linalg::matrix_power: takes float, double and duals of them; cast a first");
    static_assert(is_square,
                  "tx: linalg::matrix_power: the last two extents of a must be equal; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_square)>(
        detail::matrix_fn<detail::matrix_power_recipe<N>, detail::matrix_part::whole>{}, a);
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
