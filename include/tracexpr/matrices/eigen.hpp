// tx::linalg::eig and eigvals decompose square matrices that need not be symmetric, and tx::roots finds roots of polynomials as
// eigenvalues.
#pragma once

#include <tracexpr/matrices/common.hpp>

#include <limits>

namespace tx {
namespace detail {

constexpr dtype complex_dtype(dtype t) {
    return real_part(computed_dtype(t)) == dtype::float64 ? dtype::complex128 : dtype::complex64;
}
// Casts the operand to a dtype that op::eig takes.
constexpr node_id eig_operand(lowering& low, node_id x) { return low.as(x, computed_dtype(low.type(x))); }
TRACEXPR_ONCE constexpr char const* eig_problem(builder_spec const& a) {
    if (a.type == dtype::string || is_dual(a.type)) return "takes real or complex numbers, no duals";
    if (a.shape.rank < 0) return nullptr;
    return a.shape.rank < 2 || square_shape(a.shape).problem ? "takes a square matrix, or several in the last two axes" : nullptr;
}
constexpr dims rows_shape(dims d) {
    --d.rank;
    return d;
}

struct eig_builder {
    static constexpr char const* called = "eig";
    static constexpr char const* problem(builder_specs given) { return eig_problem(given[0]); }
    static constexpr std::array<dtype, 2> types(builder_specs given) {
        return {complex_dtype(given[0].type), complex_dtype(given[0].type)};
    }
    static constexpr std::array<dims, 2> shapes(builder_specs given) { return {rows_shape(given[0].shape), given[0].shape}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 2> record(lowering& low, node_id const* in) {
        node_id const x = eig_operand(low, in[0]), values = low.append(op::eig, complex_dtype(low.type(x)), {&x, 1});
        return {values, low.result(values, 1)};
    }
};
struct eigvals_builder {
    static constexpr char const* called = "eigvals";
    static constexpr char const* problem(builder_specs given) { return eig_problem(given[0]); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{complex_dtype(given[0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{rows_shape(given[0].shape)}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* in) {
        return std::array<node_id, 1>{eig_builder::record(low, in)[0]};
    }
};

// The roots of p[0] x^n + ... + p[n] are the eigenvalues of the companion matrix: its first row is -p[1:] / p[0], and ones stand
// below its diagonal.
struct roots_builder {
    static constexpr char const* called = "roots";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        dims const& d = given[0].shape;
        if (given[0].type == dtype::string || is_dual(given[0].type)) return "takes real or complex numbers, no duals";
        if (d.rank >= 0 && d.rank != 1) return "takes a vector of coefficients, the highest power first";
        return d.rank == 1 && d[0] == 0 ? "takes at least one coefficient" : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{complex_dtype(given[0].type)};
    }
    TRACEXPR_ONCE static constexpr std::array<dims, 1> shapes(builder_specs given) {
        std::int64_t const n = given[0].shape[0];
        return std::array<dims, 1>{dims{{n == dyn ? dyn : n - 1}, 1}};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* in) {
        node_id const given = eig_operand(low, in[0]), one = low.literal(std::int64_t{1}), zero = low.literal(std::int64_t{0});
        // Leading zeros are moved to the end, where each gives a root of 0.
        node_id const is_zero = low.test(op::equal, given, low.zero_like(given)), place = low.iota_like<std::int64_t>(given, 0);
        node_id const count = low.axis_size<std::int64_t>(given, 0);
        node_id const in_front = low.reduce(op::sum, leading(low, is_zero), attribute_list(0));
        node_id const rotated = low.append(op::remainder, low.append(op::add, place, in_front), count);
        node_id const p = low.append(op::take, given, rotated, attribute_list(0));
        node_id const all = companion_values(low, p, one, zero);
        return std::array<node_id, 1>{
            without_least(low, all, low.append(op::minimum, in_front, low.append(op::subtract, count, one)))};
    }

private:
    // Gives 1 for each element of the longest prefix in which `holds` is true, else 0.
    static constexpr node_id leading(lowering& low, node_id holds) {
        return low.append(op::cumprod, low.as(holds, dtype::int64), attribute_list(0));
    }
    TRACEXPR_ONCE static constexpr node_id companion_values(lowering& low, node_id p, node_id one, node_id zero) {
        node_id const row =
            low.append(op::negative, low.append(op::divide, low.slice(p, 0, 1, slice_open), low.slice(p, 0, 0, 1)));
        node_id const as_row = low.expand(row, 0), as_column = low.expand(row, 1);
        // The indices of rows and columns are made in the shape of a matrix that broadcasts from both vectors.
        node_id const whole = low.append(op::add, as_row, as_column);
        node_id const i = low.iota_like<std::int64_t>(whole, 0), j = low.iota_like<std::int64_t>(whole, 1);
        node_id const is_below = low.test(op::equal, i, low.append(op::add, j, one));
        node_id const ones = low.choose(is_below, low.number_like(row, 1), low.zero_like(row));
        node_id const companion = low.choose(low.test(op::equal, i, zero), as_row, ones);
        return low.append(op::eig, complex_dtype(low.type(p)), {&companion, 1});
    }
    // If count > 0, sorts the values by descending absolute value and replaces the last `count` of them by NaN.
    TRACEXPR_ONCE static constexpr node_id without_least(lowering& low, node_id values, node_id count) {
        dtype const real = real_part(low.type(values));
        node_id const sizes = low.append(op::absolute, real, {&values, 1});
        node_id const order = low.append(op::argsort, dtype::int64, {&sizes, 1}, attribute_list(0, 1, order_of_all));
        node_id const place = low.iota_like<std::int64_t>(values, 0), zero = low.literal(std::int64_t{0});
        node_id const are_all = low.test(op::equal, count, zero);
        node_id const sorted = low.append(op::take, values, low.choose(are_all, place, order), attribute_list(0));
        node_id const end = low.append(op::subtract, low.axis_size<std::int64_t>(values, 0), count);
        return low.choose(low.test(op::less, place, end), sorted,
                          low.number_like(sorted, std::numeric_limits<double>::quiet_NaN()));
    }
};

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// Gives a pair for square matrices: the eigenvalues, (..., n), in no particular order, and the eigenvectors as columns of (...,
// n, n), which have length 1 and a real and positive largest element. The dtype is complex64 for float operands, else complex128,
// also where all eigenvalues are real. Eigenvectors have derivatives where the eigenvalues differ, for results that do not depend
// on the phase of a vector. A matrix with NaN or infinity gives NaN. (numpy.linalg.eig; eigh is for symmetric matrices.)
template <array_operand A> [[nodiscard]] constexpr auto eig(A const& a) {
    constexpr bool fits = detail::takes_operand<detail::eig_builder, A>;
    static_assert(fits, "tx: linalg::eig: takes square matrices of real or complex numbers in the last two axes");
    return detail::apply_if<fits>(detail::built_fn<detail::eig_builder>{}, a);
}
// Gives the eigenvalues of square matrices, (..., n, n) -> (..., n), as tx::linalg::eig does, without eigenvectors.
template <array_operand A> [[nodiscard]] constexpr auto eigvals(A const& a) {
    constexpr bool fits = detail::takes_operand<detail::eigvals_builder, A>;
    static_assert(fits, "tx: linalg::eigvals: takes square matrices of real or complex numbers in the last two axes");
    return detail::apply_if<fits>(detail::built_fn<detail::eigvals_builder>{}, a);
}

} // namespace TRACEXPR_CALLS
} // namespace linalg

inline namespace TRACEXPR_CALLS {

// Gives the n complex roots of p[0] x^n + p[1] x^(n - 1) + ... + p[n], (n + 1) -> (n), as eigenvalues of the companion matrix.
// Leading zeros are ignored, as in numpy.roots, but the shape can't depend on them: each makes one more of the last roots NaN,
// and the others are sorted by descending absolute value.
template <array_operand P> [[nodiscard]] constexpr auto roots(P const& p) {
    constexpr bool fits = detail::takes_operand<detail::roots_builder, P>;
    static_assert(fits, "tx: roots: takes a vector of at least one coefficient, real or complex, the highest power first");
    return detail::apply_if<fits>(detail::built_fn<detail::roots_builder>{}, p);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
