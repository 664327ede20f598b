// This file holds decompositions of square matrices and solutions of linear equations, tx::linalg. Batches of matrices lie in the
// last two axes, and leading axes broadcast, as in NumPy. float stays float, integers become double. LAPACK computes them where
// it is linked (the CMake target tracexpr::blas), else plain loops. A matrix without a result (a singular one, or one that is not
// positive definite) throws tx::error when the op runs; NaN propagates.
#pragma once

#include <tracexpr/trace/creation.hpp>

#include <array>
#include <type_traits>
#include <utility>

namespace tx {
namespace detail {

// The dtype in which decompositions of the operands are computed.
template <class... A> inline constexpr dtype matrix_dtype = is_inexact(common_dtype<A...>) ? common_dtype<A...> : dtype::float64;
template <class... A> inline constexpr bool have_matrix_dtype = accepts(domain::wide, matrix_dtype<A...>);

// The shape of a result that is computed from one matrix: the matrix's, a vector, or a scalar, for each matrix of a batch.
enum class matrix_part { whole, vector, scalar };
template <matrix_part Part, class A> struct matrix_owner {
    static constexpr inferred rule() {
        dims const d = dims_of_operand<A>;
        if (d.rank < 0) return {d};
        inferred out = square_shape(d);
        if (!out.problem && Part == matrix_part::vector) --out.shape.rank;
        if (!out.problem && Part == matrix_part::scalar) out.shape.rank -= 2;
        return out;
    }
};
template <class A> inline constexpr bool is_square = checked_shape<matrix_owner<matrix_part::whole, A>>::rule.problem == nullptr;
template <class A, matrix_part Part = matrix_part::whole> using matrix_result =
    expr<ctype<matrix_dtype<A>>, shape_from<checked_shape<matrix_owner<Part, A>>>>;

// Gives the shape of a solution; a right side is (..., n, k), or a vector of n elements.
TRACEXPR_ONCE constexpr inferred solution_shape(dims const& a, dims const& b) {
    if (b.rank != 1) return solved_shape(a, b);
    inferred out = solved_shape(a, dims{{b[0], 1}, 2});
    if (!out.problem) --out.shape.rank;
    return out;
}
template <class A, class B> struct solution_owner {
    static constexpr inferred rule() {
        dims const a = dims_of_operand<A>, b = dims_of_operand<B>;
        if (a.rank < 0 || b.rank < 0) return {dims{{}, dims::unknown_rank}};
        return solution_shape(a, b);
    }
};
template <class A, class B> inline constexpr bool is_right_side = checked_shape<solution_owner<A, B>>::rule.problem == nullptr;

// Records the ops that the functions below are composed of.
class matrix_lowering : public lowering {
public:
    using lowering::lowering;

    // Gives the node of a matrix argument. Throws where it is not square.
    template <class T, class A> static constexpr node_id matrix(A const& a, op code) {
        return checked(matrix_lowering(a.scope()), record_operand<dtype_of<T>>(a.scope(), a), code);
    }

    TRACEXPR_ONCE constexpr node_id identity_like(node_id a) {
        node_id const sides[]{record_places(*this, a, 2), record_places(*this, a, 1)};
        node_id const choice[]{append(op::equal, dtype::boolean, sides), number_like(a, 1), zero_like(a)};
        return append(op::where, type(a), choice);
    }
    // From the decomposition L U = P a: the diagonal of U, and signs whose product is the determinant of P.
    struct pivots {
        node_id diagonal, signs;
    };
    TRACEXPR_ONCE constexpr pivots pivots_of(node_id a) {
        node_id const factors = append(op::lu, a);
        int const last = rank(a) - 1;
        return {append(op::diagonal, factors, attribute_list(0, last - 1, last)), result(factors, 2)};
    }
    constexpr node_id along_last(op code, node_id x) { return reduce(code, x, attribute_list(rank(x) - 1)); }
    // The product of a singular matrix's pivots may be -0; adding 0 makes it 0.
    TRACEXPR_ONCE constexpr node_id product_along_last(node_id x) {
        node_id const product = along_last(op::prod, x);
        return append(op::add, product, zero_like(product));
    }

private:
    TRACEXPR_ONCE static constexpr node_id checked(matrix_lowering const& low, node_id x, op code) {
        low.require_rank(code, x);
        dims const d = low.shape(x);
        if (inferred const rule = square_shape(d); rule.problem) throw_shape_error(code, rule.problem, {&d, 1});
        return x;
    }
};

// Records x of a x = b. A vector b is treated as a column, and x is then a vector.
TRACEXPR_ONCE constexpr node_id record_solution_here(matrix_lowering& low, op code, node_id a, node_id b,
                                                     attribute_list const& form) {
    low.require_rank(code, a);
    low.require_rank(code, b);
    dims const given[]{low.shape(a), low.shape(b)};
    if (inferred const rule = solution_shape(given[0], given[1]); rule.problem) throw_shape_error(code, rule.problem, given);
    bool const is_vector = given[1].rank == 1;
    node_id const columns = is_vector ? low.expand(b, 1) : b;
    node_id const factors = code == op::solve ? low.append(op::lu, a) : node_id::none;
    node_id const operands[]{a, columns, factors, code == op::solve ? low.result(factors, 1) : node_id::none};
    node_id const x = low.append(code, low.type(a), {operands, static_cast<std::size_t>(info(code).arity)}, form);
    return is_vector ? low.squeeze(x, low.rank(x) - 1) : x;
}
TRACEXPR_HERE_OR_ONCE(node_id, record_solution, record_solution_here,
                      (matrix_lowering & low, op code, node_id a, node_id b, attribute_list const& form), (low, code, a, b, form))

// A Recipe has `static constexpr op code;` for messages, and `record(matrix_lowering&, node_id a)`, which gives a node for each
// of the Parts.
template <class Recipe, matrix_part... Parts> struct matrix_fn {
    static constexpr char const* called = Recipe::called;
    static void explain(dims const& a) {
        if (inferred const rule = square_shape(a); rule.problem) throw_shape_error(called, rule.problem, {&a, 1});
    }
    template <class A> constexpr auto operator()(A const& a) const {
        using T = ctype<matrix_dtype<A>>;
        matrix_lowering low(a.scope());
        node_id const x = matrix_lowering::matrix<T>(a, Recipe::code);
        return typed<T, A>(a.scope(), Recipe::record(low, x),
                           std::index_sequence_for<std::integral_constant<matrix_part, Parts>...>{});
    }

private:
    template <class T, class A, std::size_t... K> static constexpr auto
    typed(trace_scope& scope, std::array<node_id, sizeof...(Parts)> const& nodes, std::index_sequence<K...>) {
        if constexpr (sizeof...(Parts) == 1) return (matrix_result<A, Parts>(scope, nodes[K]), ...);
        else return std::pair(matrix_result<A, Parts>(scope, nodes[K])...);
    }
};

struct cholesky_recipe {
    static constexpr char const* called = "cholesky";
    static constexpr op code = op::cholesky;
    static constexpr std::array<node_id, 1> record(matrix_lowering& low, node_id a) {
        return std::array<node_id, 1>{low.append(op::cholesky, a)};
    }
};
struct inverse_recipe {
    static constexpr char const* called = "inv";
    static constexpr op code = op::solve;
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(matrix_lowering& low, node_id a) {
        return std::array<node_id, 1>{record_solution(low, op::solve, a, low.identity_like(a), attribute_list(0))};
    }
};
struct determinant_recipe {
    static constexpr char const* called = "det";
    static constexpr op code = op::lu;
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(matrix_lowering& low, node_id a) {
        auto const p = low.pivots_of(a);
        return std::array<node_id, 1>{low.product_along_last(low.append(op::multiply, p.diagonal, p.signs))};
    }
};
struct sign_and_log_recipe {
    static constexpr char const* called = "slogdet";
    static constexpr op code = op::lu;
    TRACEXPR_ONCE static constexpr std::array<node_id, 2> record(matrix_lowering& low, node_id a) {
        auto const p = low.pivots_of(a);
        node_id const signs = low.append(op::multiply, low.append(op::sign, p.diagonal), p.signs);
        node_id const logarithms = low.append(op::log, low.append(op::absolute, p.diagonal));
        return {low.product_along_last(signs), low.along_last(op::sum, logarithms)};
    }
};
struct eigh_recipe {
    static constexpr char const* called = "eigh";
    static constexpr op code = op::eigh;
    TRACEXPR_ONCE static constexpr std::array<node_id, 2> record(matrix_lowering& low, node_id a) {
        node_id const vectors = low.append(op::eigh, a);
        return {low.result(vectors, 1), vectors};
    }
};
struct eigvalsh_recipe {
    static constexpr char const* called = "eigvalsh";
    static constexpr op code = op::eigh;
    static constexpr std::array<node_id, 1> record(matrix_lowering& low, node_id a) {
        return std::array<node_id, 1>{eigh_recipe::record(low, a)[0]};
    }
};

// Form holds the op's attributes.
template <op Code, int... Form> struct solution_fn {
    static constexpr char const* called = Code == op::solve ? "solve" : "solve_triangular";
    static void explain(dims const& a, dims const& b) {
        dims const given[]{a, b};
        if (inferred const rule = solution_shape(a, b); rule.problem) throw_shape_error(called, rule.problem, given);
    }
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const {
        using T = ctype<matrix_dtype<A, B>>;
        trace_scope& scope = *scope_among(a, b);
        matrix_lowering low(scope);
        node_id const x = record_operand<dtype_of<T>>(scope, a), y = record_operand<dtype_of<T>>(scope, b);
        return expr<T, shape_from<checked_shape<solution_owner<A, B>>>>(
            scope, record_solution(low, Code, x, y, attribute_list(Form...)));
    }
};

} // namespace detail

namespace linalg {

// The matrix is the lower triangle. This and the following arguments of solve_triangular can be given in any order; without them
// the triangle is upper, not transposed, and its diagonal is read.
enum lower_t { lower };
// The matrix is the upper triangle (the default).
enum upper_t { upper };
// Solves with the transpose of the triangle.
enum transposed_t { transposed };
// The diagonal counts as ones and is not read.
enum unit_diagonal_t { unit_diagonal };
// An argument of solve_triangular: lower, upper, transposed, unit_diagonal.
template <class Tag> concept triangle_form = std::is_same_v<Tag, lower_t> || std::is_same_v<Tag, upper_t> ||
                                             std::is_same_v<Tag, transposed_t> || std::is_same_v<Tag, unit_diagonal_t>;

inline namespace TRACEXPR_CALLS {

// L, lower triangular, with L L^T = a: (..., n, n) -> (..., n, n). Only the symmetric part (a + a^T) / 2 counts, which must be
// positive definite.
template <array_operand A> [[nodiscard]] constexpr auto cholesky(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_square = detail::is_square<A>;
    static_assert(has_dtype, "tx: linalg::cholesky: takes float, double and duals of them; cast a first");
    static_assert(is_square, "tx: linalg::cholesky: the last two extents of a must be equal; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_square)>(detail::matrix_fn<detail::cholesky_recipe, detail::matrix_part::whole>{},
                                                      a);
}

// The x of a x = b: (..., n, n) and (..., n, k) -> (..., n, k), or with a vector b of n elements (..., n). a must be invertible.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto solve(A const& a, B const& b) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A, B>;
    constexpr bool fits = detail::is_right_side<A, B>;
    static_assert(has_dtype, "tx: linalg::solve: takes float, double and duals of them; cast a and b first");
    static_assert(fits, "tx: linalg::solve: takes square matrices a (..., n, n) and b (..., n, k) or (n), leading extents "
                        "broadcasting; the shapes stand in the note above");
    return detail::apply_if<(has_dtype && fits)>(detail::solution_fn<op::solve, 0>{}, a, b);
}

// The x of a x = b for a triangular a: solve_triangular(a, b, tx::linalg::lower, tx::linalg::transposed). Shapes are those of
// solve. Elements in the other triangle are not read, nor the diagonal where it is unit_diagonal; else the diagonal must have no
// 0.
template <array_operand A, array_operand B, triangle_form... Form>
[[nodiscard]] constexpr auto solve_triangular(A const& a, B const& b, Form...) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A, B>;
    constexpr bool fits = detail::is_right_side<A, B>;
    static_assert(has_dtype, "tx: linalg::solve_triangular: takes float, double and duals of them; cast a and b first");
    static_assert(fits, "tx: linalg::solve_triangular: takes square matrices a (..., n, n) and b (..., n, k) or (n), leading "
                        "extents broadcasting; the shapes stand in the note above");
    return detail::apply_if<(has_dtype && fits)>(
        detail::solution_fn<op::solve_triangular, (std::is_same_v<Form, lower_t> || ... || false),
                            (std::is_same_v<Form, transposed_t> || ... || false),
                            (std::is_same_v<Form, unit_diagonal_t> || ... || false)>{},
        a, b);
}

// a^-1: (..., n, n) -> (..., n, n). a must be invertible. For inv(a) times b, solve(a, b) is better.
template <array_operand A> [[nodiscard]] constexpr auto inv(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_square = detail::is_square<A>;
    static_assert(has_dtype, "tx: linalg::inv: takes float, double and duals of them; cast a first");
    static_assert(is_square, "tx: linalg::inv: the last two extents of a must be equal; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_square)>(detail::matrix_fn<detail::inverse_recipe, detail::matrix_part::whole>{}, a);
}

// The determinant: (..., n, n) -> (...). A singular matrix has the determinant 0, but no derivative here.
template <array_operand A> [[nodiscard]] constexpr auto det(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_square = detail::is_square<A>;
    static_assert(has_dtype, "tx: linalg::det: takes float, double and duals of them; cast a first");
    static_assert(is_square, "tx: linalg::det: the last two extents of a must be equal; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_square)>(
        detail::matrix_fn<detail::determinant_recipe, detail::matrix_part::scalar>{}, a);
}
// A pair: the determinant's sign (-1, 0 or 1) and the logarithm of its size, which neither overflows nor underflows: (..., n, n)
// -> (...) each.
template <array_operand A> [[nodiscard]] constexpr auto slogdet(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_square = detail::is_square<A>;
    static_assert(has_dtype, "tx: linalg::slogdet: takes float, double and duals of them; cast a first");
    static_assert(is_square, "tx: linalg::slogdet: the last two extents of a must be equal; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_square)>(
        detail::matrix_fn<detail::sign_and_log_recipe, detail::matrix_part::scalar, detail::matrix_part::scalar>{}, a);
}

// A pair: the eigenvalues of (a + a^T) / 2, ascending, (..., n); and the eigenvectors, of length 1, in the columns of (..., n,
// n). The first element of a vector that is not small is positive. Vectors have derivatives where their eigenvalues differ. A
// matrix with a NaN gives NaN.
template <array_operand A> [[nodiscard]] constexpr auto eigh(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_square = detail::is_square<A>;
    static_assert(has_dtype, "tx: linalg::eigh: takes float, double and duals of them; cast a first");
    static_assert(is_square, "tx: linalg::eigh: the last two extents of a must be equal; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_square)>(
        detail::matrix_fn<detail::eigh_recipe, detail::matrix_part::vector, detail::matrix_part::whole>{}, a);
}
// The eigenvalues of (a + a^T) / 2, ascending: (..., n, n) -> (..., n).
template <array_operand A> [[nodiscard]] constexpr auto eigvalsh(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_square = detail::is_square<A>;
    static_assert(has_dtype, "tx: linalg::eigvalsh: takes float, double and duals of them; cast a first");
    static_assert(is_square, "tx: linalg::eigvalsh: the last two extents of a must be equal; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_square)>(detail::matrix_fn<detail::eigvalsh_recipe, detail::matrix_part::vector>{},
                                                      a);
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
