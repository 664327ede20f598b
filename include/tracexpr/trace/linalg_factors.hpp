// This file holds decompositions of matrices of any extents: tx::linalg::qr, svd and svdvals. Batches of matrices lie in the last
// two axes. float stays float, integers become double.
#pragma once

#include <tracexpr/trace/linalg.hpp>

#include <tuple>

namespace tx {
namespace detail {

// The shape of result Part of a decomposition.
template <op Code, std::size_t Part, class A> struct factor_owner {
    static constexpr inferred rule() {
        dims const d = dims_of_operand<A>;
        if (d.rank < 0) return {d};
        inferred const whole = decomposed_shape(Code, {&d, 1});
        return whole.problem ? whole : inferred{decomposed_part(Code, d, Part)};
    }
};
template <op Code, class A> inline constexpr bool is_matrix = checked_shape<factor_owner<Code, 0, A>>::rule.problem == nullptr;
template <op Code, std::size_t Part, class A> using factor_expr =
    expr<ctype<matrix_dtype<A>>, shape_from<checked_shape<factor_owner<Code, Part, A>>>>;

template <op Code, class A> constexpr node_id record_factors(A const& a) {
    lowering low(a.scope());
    node_id const x = record_operand<matrix_dtype<A>>(a.scope(), a);
    low.require_rank(Code, x);
    return low.append(Code, x);
}
template <op Code, std::size_t Part, class A> constexpr auto factor_of(A const& a, node_id factors) {
    return factor_expr<Code, Part, A>(a.scope(), lowering(a.scope()).result(factors, Part));
}

struct qr_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        node_id const factors = record_factors<op::qr>(a);
        return std::pair(factor_of<op::qr, 0>(a, factors), factor_of<op::qr, 1>(a, factors));
    }
};
struct svd_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        node_id const factors = record_factors<op::svd>(a);
        return std::tuple(factor_of<op::svd, 0>(a, factors), factor_of<op::svd, 1>(a, factors),
                          factor_of<op::svd, 2>(a, factors));
    }
};
struct svdvals_fn {
    static constexpr char const* called = "svdvals";
    template <class A> constexpr auto operator()(A const& a) const {
        return factor_of<op::svd, 1>(a, record_factors<op::svd>(a));
    }
};

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// A pair (q, r) with q r = a: (..., m, n) -> (..., m, k), whose columns are orthonormal, and (..., k, n), upper triangular, where
// k = min(m, n). Signs are those of LAPACK and NumPy: the diagonal of r may be negative. Derivatives need the first k columns of
// a to be linearly independent.
template <array_operand A> [[nodiscard]] constexpr auto qr(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_matrix = detail::is_matrix<op::qr, A>;
    static_assert(has_dtype, "tx: linalg::qr: takes float, double and duals of them; cast a first");
    static_assert(is_matrix,
                  "tx: linalg::qr: takes a matrix, or several in the last two axes; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_matrix)>(detail::qr_fn{}, a);
}

// A tuple (u, s, vh) with u diag(s) vh = a: (..., m, n) -> (..., m, k), whose columns are orthonormal; (..., k), the singular
// values, descending; and (..., k, n), whose rows are orthonormal; k = min(m, n). The first element of a column of u that is not
// small is positive. Vectors have derivatives where their singular values differ. A matrix with a NaN gives NaN.
template <array_operand A> [[nodiscard]] constexpr auto svd(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_matrix = detail::is_matrix<op::svd, A>;
    static_assert(has_dtype, "tx: linalg::svd: takes float, double and duals of them; cast a first");
    static_assert(is_matrix,
                  "tx: linalg::svd: takes a matrix, or several in the last two axes; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_matrix)>(detail::svd_fn{}, a);
}
// The singular values, descending: (..., m, n) -> (..., min(m, n)).
template <array_operand A> [[nodiscard]] constexpr auto svdvals(A const& a) {
    constexpr bool has_dtype = detail::have_matrix_dtype<A>;
    constexpr bool is_matrix = detail::is_matrix<op::svd, A>;
    static_assert(has_dtype, "tx: linalg::svdvals: takes float, double and duals of them; cast a first");
    static_assert(is_matrix,
                  "tx: linalg::svdvals: takes a matrix, or several in the last two axes; its shape stands in the note above");
    return detail::apply_if<(has_dtype && is_matrix)>(detail::svdvals_fn{}, a);
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
