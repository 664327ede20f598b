// tx::linalg::lu, lu_factor, lu_solve and ldl factor matrices into products of triangular ones.
#pragma once

#include <tracexpr/matrices/common.hpp>

namespace tx {
namespace detail {

constexpr std::int64_t smaller_of(std::int64_t a, std::int64_t b) { return a == dyn || b == dyn ? dyn : a < b ? a : b; }
constexpr dims with_sides(dims d, std::int64_t rows, std::int64_t columns) {
    d[d.rank - 2] = rows, d[d.rank - 1] = columns;
    return d;
}

// P, L and U of matrices (m, n) are computed by op::lu, which takes square ones. If m > n, columns of zeros are added; if m < n,
// the first m columns are decomposed, and the other columns of U are L^-1 P^T times those of a.
struct lu_builder {
    static constexpr char const* called = "lu";
    static constexpr char const* problem(builder_specs given) { return matrix_problem(given[0]); }
    static constexpr std::array<dtype, 3> types(builder_specs given) {
        dtype const type = to_inexact(given[0].type);
        return {type, type, type};
    }
    TRACEXPR_ONCE static constexpr std::array<dims, 3> shapes(builder_specs given) {
        dims const d = given[0].shape;
        std::int64_t const m = d[d.rank - 2], n = d[d.rank - 1], k = smaller_of(m, n);
        return {with_sides(d, m, m), with_sides(d, m, k), with_sides(d, k, n)};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 3> record(trace_scope& scope, node_id const* in) {
        ad::value const a = matrix_operand(scope, in[0]);
        int const rows = a.rank() - 2, columns = a.rank() - 1;
        std::int64_t const m = a.shape()[rows], n = a.shape()[columns];
        if ((m == dyn || n == dyn) && m != n)
            throw shape_error("tx: lu: of matrices that aren't square the trace must know the extents");
        ad::value square = a;
        if (m > n) {
            ad::value const zeros = slice(a, columns, 0, 1) * 0.0;
            dims const wanted = with_sides(a.shape(), m, m - n);
            square = joined(a, n == 0 ? a
                                      : ad::unary(op::broadcast_to, zeros,
                                                  attribute_span(wanted.extent, static_cast<std::size_t>(wanted.rank))));
        } else if (m < n) {
            square = slice(a, columns, 0, m);
        }
        ad::value const factors = ad::unary(op::lu, square),
                        places{scope.recorded, append_result(scope.recorded, factors.id(), 1)};
        ad::value const lower = ad::detail::strictly_lower(factors) + identity_in(factors), upper = ad::detail::upper(factors);
        ad::value const all_places = ad::broadcast_like(ad::unary(op::expand_dims, places, attribute_list(rows)), factors);
        ad::value const hits = equal(ad::place_along(factors, rows), all_places);
        ad::value const p = chosen(hits, factors.like(1), factors.like(0));
        if (m == n) return {p.id(), lower.id(), upper.id()};
        if (m > n) return {p.id(), slice(lower, columns, 0, n).id(), slice(slice(upper, rows, 0, n), columns, 0, n).id()};
        ad::value const moved = ad::detail::product(swap_last_axes(p), slice(a, columns, m, slice_open));
        return {p.id(), lower.id(),
                joined(upper, ad::detail::solve_triangular(lower, moved, {.lower = true, .unit = true})).id()};
    }

private:
    static constexpr ad::value joined(ad::value const& a, ad::value const& b) {
        return ad::record(op::concatenate, {a, b}, attribute_list(a.rank() - 1));
    }
};

// Returns op::lu's factors in one matrix, and the permutation: which row of a stands in each row.
struct lu_factor_builder {
    static constexpr char const* called = "lu_factor";
    static constexpr char const* problem(builder_specs given) { return square_problem(given[0]); }
    static constexpr std::array<dtype, 2> types(builder_specs given) { return {to_inexact(given[0].type), dtype::int64}; }
    static constexpr std::array<dims, 2> shapes(builder_specs given) {
        dims places = given[0].shape;
        --places.rank;
        return {given[0].shape, places};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 2> record(trace_scope& scope, node_id const* in) {
        ad::value const factors = ad::unary(op::lu, matrix_operand(scope, in[0]));
        return {factors.id(), append_result(scope.recorded, factors.id(), 1)};
    }
};
// Computes the solution U^-1 L^-1 P^T b, where the permutation P is given by the places of rows.
struct lu_solve_builder {
    static constexpr char const* called = "lu_solve";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        if (char const* const wrong = square_problem(given[0])) return wrong;
        if (!is_integer(given[1].type)) return "the rows' places must be those of lu_factor";
        if (!is_real_number(given[2].type)) return "takes real numbers";
        if (given[0].shape.rank < 0 || given[2].shape.rank < 0) return nullptr;
        return solution_shape(given[0].shape, given[2].shape).problem;
    }
    TRACEXPR_ONCE static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{promote(to_inexact(given[0].type), to_inexact(given[2].type))};
    }
    TRACEXPR_ONCE static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{solution_shape(given[0].shape, given[2].shape).shape};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        ad::value const given{scope.recorded, in[2]};
        dtype const type = computed_dtype(types_of(scope, in));
        ad::value const factors = cast(ad::value(scope.recorded, in[0]), type), places{scope.recorded, in[1]};
        bool const is_vector = given.rank() == 1;
        ad::value const b = cast(is_vector ? ad::unary(op::expand_dims, given, attribute_list(1)) : given, type);
        // P^T b is a product with a matrix of zeros and ones, to which batches on either side broadcast.
        ad::value const hits = equal(ad::unary(op::expand_dims, places, attribute_list(places.rank())),
                                     ad::place_along(factors, factors.rank() - 1));
        ad::value const moved = ad::detail::product(chosen(hits, factors.like(1), factors.like(0)), b);
        ad::value const half = ad::detail::solve_triangular(factors, moved, {.lower = true, .unit = true});
        ad::value const x = ad::detail::solve_triangular(factors, half, {});
        return std::array<node_id, 1>{is_vector ? ad::unary(op::squeeze, x, attribute_list(x.rank() - 1)).id() : x.id()};
    }

private:
    TRACEXPR_ONCE static constexpr dtype types_of(trace_scope& scope, node_id const* in) {
        return promote(to_inexact(scope.recorded[in[0]].type), to_inexact(scope.recorded[in[2]].type));
    }
};

// L and the diagonal d of a = L diag(d) L^T are computed without pivoting, column by column: l = a[:, j] / d, a -= d l l^T.
struct ldl_builder {
    static constexpr char const* called = "ldl";
    static constexpr char const* problem(builder_specs given) { return square_problem(given[0]); }
    static constexpr std::array<dtype, 2> types(builder_specs given) {
        return {to_inexact(given[0].type), to_inexact(given[0].type)};
    }
    static constexpr std::array<dims, 2> shapes(builder_specs given) {
        dims diagonal = given[0].shape;
        --diagonal.rank;
        return {given[0].shape, diagonal};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 2> record(trace_scope& scope, node_id const* in) {
        ad::value const given = matrix_operand(scope, in[0]), a = (given + swap_last_axes(given)) * 0.5;
        int const columns = a.rank() - 1, rows = columns - 1;
        // These are the numbers of the columns, broadcast to the batch, with the axis that the scan steps along in front.
        ad::value const row = ad::unary(op::diagonal, a, attribute_list(0, rows, columns));
        ad::value const numbers = ad::with_moved_axis(ad::place_along(row, rows), rows, 0);
        ad::value const start[]{a}, sequences[]{numbers};
        auto const body = [&](trace_scope&, buffer<ad::value> const& s) {
            ad::value const& left = s[0];
            ad::value const j = ad::unary(op::expand_dims, s[1], attribute_list(rows, columns));
            ad::value const is_column = equal(ad::place_along(left, columns), j), at_row = ad::place_along(left, rows);
            ad::value const column = along(op::sum, where(is_column, left, ad::value{}), columns, true);
            ad::value const rows_of_column = slice(at_row, columns, 0, 1), hits = equal(rows_of_column, j);
            ad::value const d = along(op::sum, where(hits, column, ad::value{}), rows, true);
            ad::value const below = where(greater(rows_of_column, j), column / d, ad::value{});
            ad::value const l = chosen(hits, below.like(1), below);
            buffer<ad::value> out;
            out.push_back(left - ad::detail::product(l * d, swap_last_axes(l)));
            out.push_back(ad::unary(op::squeeze, l, attribute_list(columns)));
            out.push_back(ad::unary(op::squeeze, d, attribute_list(rows, columns)));
            return out;
        };
        buffer<node_id> const out = record_untyped_scan(scope, {start, 1}, {sequences, 1}, false, body);
        ad::value const l{scope.recorded, out[1]}, d{scope.recorded, out[2]};
        return {ad::with_moved_axis(l, 0, columns).id(), ad::with_moved_axis(d, 0, rows).id()};
    }
};

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// Gives a tuple (p, l, u) with a = p l u and k = min(m, n) for a (..., m, n): a permutation matrix (..., m, m), a lower triangle
// with ones on the diagonal (..., m, k), and an upper triangle (..., k, n). (SciPy: lu)
template <array_operand A> [[nodiscard]] constexpr auto lu(A const& a) {
    constexpr bool is_matrix = detail::takes_operand<detail::lu_builder, A>;
    static_assert(is_matrix, "tx: linalg::lu: takes real matrices in the last two axes");
    return detail::apply_if<is_matrix>(detail::built_fn<detail::lu_builder>{}, a);
}
// Gives a pair for lu_solve: one matrix (..., n, n) with L below the diagonal and U on and above it, and a permutation, int64
// (..., n): row i of L U is row permutation[i] of a. (SciPy's lu_factor gives the swaps instead.)
template <array_operand A> [[nodiscard]] constexpr auto lu_factor(A const& a) {
    constexpr bool is_square = detail::takes_operand<detail::lu_factor_builder, A>;
    static_assert(is_square, "tx: linalg::lu_factor: takes real square matrices in the last two axes");
    return detail::apply_if<is_square>(detail::built_fn<detail::lu_factor_builder>{}, a);
}
// Solves a x = b with what lu_factor gives for a: lu_solve(factors, places, b), where b is (..., n, k) or a vector (n).
template <array_operand F, array_operand P, array_operand B>
[[nodiscard]] constexpr auto lu_solve(F const& factors, P const& places, B const& b) {
    constexpr bool fits = detail::built_problem<detail::lu_solve_builder, F, P, B> == nullptr;
    static_assert(fits, "tx: linalg::lu_solve: takes what lu_factor gives, (..., n, n) and (..., n), and b (..., n, k) or (n)");
    return detail::apply_if<fits>(detail::built_fn<detail::lu_solve_builder>{}, factors, places, b);
}
// Gives a pair (l, d) with (a + a^T) / 2 = l diag(d) l^T: l (..., n, n) has ones on the diagonal, d is (..., n). There is no
// pivoting: the leading submatrices of a must be regular, as those of definite matrices are; else results are not finite, or
// inexact.
template <array_operand A> [[nodiscard]] constexpr auto ldl(A const& a) {
    constexpr bool is_square = detail::takes_operand<detail::ldl_builder, A>;
    static_assert(is_square, "tx: linalg::ldl: takes real square matrices in the last two axes");
    return detail::apply_if<is_square>(detail::built_fn<detail::ldl_builder>{}, a);
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
