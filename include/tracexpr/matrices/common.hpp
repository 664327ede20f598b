// These helpers of the matrix functions check operands, choose the dtype that is computed in, and make values whose last two axes
// are matrices.
#pragma once

#include <tracexpr/ad/matrix_values.hpp>
#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/joining.hpp>
#include <tracexpr/trace/linalg_solutions.hpp>
#include <tracexpr/transforms/untyped_loops.hpp>

#include <limits>

namespace tx::detail {

// Returns the machine epsilon, the spacing of numbers at 1: double's for float64 and its duals, else float's.
TRACEXPR_ONCE constexpr double rounding_of(dtype type) {
    return primal(type) == dtype::float64 ? std::numeric_limits<double>::epsilon()
                                          : double{std::numeric_limits<float>::epsilon()};
}

TRACEXPR_ONCE constexpr char const* matrix_problem(builder_spec const& a) {
    if (!is_real_number(a.type)) return "takes real numbers";
    if (a.shape.rank >= 0 && a.shape.rank < 2) return "takes a matrix, or several in the last two axes";
    return nullptr;
}
TRACEXPR_ONCE constexpr char const* square_problem(builder_spec const& a) {
    if (char const* const wrong = matrix_problem(a)) return wrong;
    return a.shape.rank >= 0 && square_shape(a.shape).problem ? "takes a square matrix, or several in the last two axes"
                                                              : nullptr;
}
TRACEXPR_ONCE constexpr char const* vector_problem(builder_spec const& a) {
    if (!is_real_number(a.type)) return "takes real numbers";
    return a.shape.rank >= 0 && a.shape.rank != 1 ? "takes vectors" : nullptr;
}

TRACEXPR_ONCE constexpr ad::value matrix_operand(trace_scope& scope, node_id x) {
    ad::value const given{scope.recorded, x};
    return cast(given, computed_dtype(given.type()));
}
// Returns the identity matrix, broadcast to the shape of square matrices x.
TRACEXPR_ONCE constexpr ad::value identity_in(ad::value const& x) {
    ad::value const rows = ad::place_along(x, x.rank() - 2), columns = ad::place_along(x, x.rank() - 1);
    return chosen(equal(rows, columns), x.like(1), x.like(0));
}
constexpr ad::value along(op code, ad::value const& x, int axis, bool keeps = false) {
    return ad::unary(code, x, attribute_list(keeps ? 1 : 0, axis));
}
// Returns the 1-norm of each matrix, (..., n, n) -> (..., 1, 1): the largest sum of absolute values in a column. The norm of a
// matrix without elements is -inf.
TRACEXPR_ONCE constexpr ad::value column_norm(ad::value const& x) {
    ad::value const sums = along(op::sum, ad::unary(op::absolute, x), x.rank() - 2, true);
    return ad::unary(op::max, sums, attribute_list(1 | largest_of_none, x.rank() - 1));
}

template <class Builder, class A> inline constexpr bool takes_operand = built_problem<Builder, A> == nullptr;

} // namespace tx::detail
