// This file holds the exponential, logarithm and square root of square matrices. Matrices are the last two axes; each matrix of a
// batch has its own scaling, and all of them go through the same loops.
#pragma once

#include <tracexpr/matrices/common.hpp>

namespace tx {
namespace linalg {
// This option of sqrtm says that a is symmetric and has no eigenvalue below 0, so it is decomposed by eigh.
enum symmetric_t { symmetric };
} // namespace linalg

namespace detail {

// matrix_function_builder has the checks, dtype and shape of functions of a square matrix whose result has the operand's shape.
struct matrix_function_builder {
    static constexpr char const* problem(builder_specs given) { return square_problem(given[0]); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
};

// exponential_approximant has the Pade approximant [m/m] of exp(a), with m = 13 in double and 7 in float, and the largest norm
// for which it is accurate. (N. Higham, The scaling and squaring method for the matrix exponential revisited, 2005)
struct exponential_approximant {
    static constexpr double largest_norm(dtype type) {
        return primal(type) == dtype::float64 ? 5.371920351148152 : 3.925724783138660;
    }
    TRACEXPR_ONCE static constexpr ad::value of(ad::value const& a) {
        ad::value const one = identity_in(a), a2 = ad::detail::product(a, a), a4 = ad::detail::product(a2, a2),
                        a6 = ad::detail::product(a4, a2);
        ad::value odd, even;
        if (primal(a.type()) == dtype::float64) {
            constexpr double b[]{1,
                                 1.0 / 2,
                                 3.0 / 25,
                                 11.0 / 600,
                                 11.0 / 5520,
                                 3.0 / 18400,
                                 1.0 / 96600,
                                 1.0 / 1932000,
                                 1.0 / 48944000,
                                 1.0 / 1585785600,
                                 1.0 / 67395888000,
                                 1.0 / 3953892096000,
                                 1.0 / 355850288640000,
                                 1.0 / 64764752532480000};
            ad::value const inner_odd = ad::detail::product(a6, a6 * b[13] + a4 * b[11] + a2 * b[9]);
            ad::value const inner_even = ad::detail::product(a6, a6 * b[12] + a4 * b[10] + a2 * b[8]);
            odd = ad::detail::product(a, inner_odd + a6 * b[7] + a4 * b[5] + a2 * b[3] + one * b[1]);
            even = inner_even + a6 * b[6] + a4 * b[4] + a2 * b[2] + one;
        } else {
            constexpr double b[]{1, 1.0 / 2, 3.0 / 26, 5.0 / 312, 5.0 / 3432, 1.0 / 11440, 1.0 / 308880, 1.0 / 17297280};
            odd = ad::detail::product(a, a6 * b[7] + a4 * b[5] + a2 * b[3] + one * b[1]);
            even = a6 * b[6] + a4 * b[4] + a2 * b[2] + one;
        }
        return ad::detail::solution(even - odd, even + odd);
    }
};
// Computes exp(a / 2^s)^(2^s), where s, the number of squarings, is chosen for each matrix so that the approximant is accurate.
TRACEXPR_ONCE constexpr ad::value exponential_of(trace_scope& scope, ad::value const& a) {
    if (any_extent_is_zero(a.shape())) return a;
    ad::value const norm = column_norm(fixed(a));
    ad::value const wanted = ad::unary(op::ceil, ad::unary(op::log2, norm / exponential_approximant::largest_norm(a.type())));
    ad::value const squarings =
        chosen(logical_and(ad::unary(op::isfinite, wanted), greater(wanted, wanted.like(0))), wanted, wanted.like(0));
    ad::value const small = exponential_approximant::of(a * ad::unary(op::exp2, squarings * -1.0));
    buffer<node_id> state;
    for (ad::value const& x : {squarings, small}) state.push_back(x.id());
    auto const are_left = [](graph& g, node_id id) {
        ad::value const left{g, id};
        return greater(left, left.like(0));
    };
    auto const goes_on = [&](trace_scope& region, buffer<node_id> const& s) {
        return any_of(are_left(region.recorded, s[0])).id();
    };
    auto const square = [&](trace_scope& region, buffer<node_id> const& s) {
        ad::value const left{region.recorded, s[0]}, x{region.recorded, s[1]};
        buffer<node_id> out;
        out.push_back((left - 1.0).id());
        out.push_back(chosen(are_left(region.recorded, s[0]), ad::detail::product(x, x), x).id());
        return out;
    };
    return {scope.recorded, record_untyped_loop(scope, state, goes_on, square)[1]};
}
struct expm_builder : matrix_function_builder {
    static constexpr char const* called = "expm";
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* a) {
        return std::array<node_id, 1>{exponential_of(scope, matrix_operand(scope, a[0])).id()};
    }
};

// Computes the principal square root by the Denman-Beavers iteration in product form, with Byers's scaling by determinants until
// it has nearly converged: M -> 1, X -> a^(1/2). (S. Cheng, N. Higham, C. Kenney and A. Laub, Approximating the logarithm of a
// matrix to specified accuracy, 2001, equation 2.4) The last step starts so near the limit that derivatives have converged, too.
// The result is NaN where the iteration does not converge.
class square_root {
public:
    TRACEXPR_ONCE static constexpr ad::value of(trace_scope& scope, ad::value const& a) {
        if (any_extent_is_zero(a.shape())) return a;
        buffer<node_id> state;
        ad::value const count = a.like(0), waits = greater_equal(column_norm(fixed(a)), a.like(0));
        for (ad::value const& x : {count, waits, a, a}) state.push_back(x.id());
        auto const goes_on = [](trace_scope& region, buffer<node_id> const& s) {
            ad::value const i{region.recorded, s[0]};
            return logical_and(less_than(i, i.like(most_steps)), any_of({region.recorded, s[1]})).id();
        };
        auto const next = [](trace_scope& region, buffer<node_id> const& s) {
            graph& g = region.recorded;
            return step({g, s[0]}, {g, s[1]}, {g, s[2]}, {g, s[3]});
        };
        buffer<node_id> const out = record_untyped_loop(scope, state, goes_on, next);
        ad::value const rest = fixed({scope.recorded, out[2]}), x{scope.recorded, out[3]};
        ad::value const distance = column_norm(rest - identity_in(rest));
        return chosen(less_than(distance, distance.like(1e-2)), x, x.like(std::numeric_limits<double>::quiet_NaN()));
    }

private:
    static constexpr double most_steps = 40;
    TRACEXPR_ONCE static constexpr buffer<node_id> step(ad::value const& count, ad::value const& waits, ad::value const& m,
                                                        ad::value const& x) {
        int const last = m.rank() - 1;
        ad::value const one = identity_in(m), distance = column_norm(fixed(m) - one);
        ad::value const inverse = ad::detail::solution(m, one);
        // The scaling factor mu^2 is |det m|^(-1 / n), which is computed by logarithms.
        ad::value const factors = ad::unary(op::lu, fixed(m));
        ad::value const diagonal = ad::unary(op::diagonal, factors, attribute_list(0, last - 1, last));
        ad::value const logarithms = log(ad::unary(op::absolute, diagonal)), ones = ad::zeros_like(logarithms) + 1.0;
        ad::value const mean = along(op::sum, logarithms, last - 1) / along(op::sum, ones, last - 1);
        ad::value const by_determinant = ad::unary(op::expand_dims, exp(mean * -1.0), attribute_list(last - 1, last));
        ad::value const scale = chosen(greater(distance, distance.like(1e-2)), by_determinant, by_determinant.like(1));
        ad::value const next_m = one * 0.5 + (m * scale + inverse / scale) * 0.25;
        ad::value const next_x = ad::detail::product(x, one + inverse / scale) * (sqrt(scale) * 0.5);
        buffer<node_id> out;
        double const near = primal(m.type()) == dtype::float64 ? 1e-10 : 1e-5;
        out.push_back((count + 1.0).id());
        out.push_back(logical_and(waits, greater(distance, distance.like(near))).id());
        out.push_back(chosen(waits, next_m, m).id());
        out.push_back(chosen(waits, next_x, x).id());
        return out;
    }
};
// Computes V sqrt(w) V^T from the decomposition a = V w V^T. Derivatives are those of two Newton steps from it, x + y where
// x y + y x = a - x x, as eigenvectors have no derivatives where eigenvalues are equal.
TRACEXPR_ONCE constexpr ad::value symmetric_square_root(ad::value const& given) {
    if (any_extent_is_zero(given.shape())) return given;
    ad::value const a = (given + swap_last_axes(given)) * 0.5, vectors = ad::unary(op::eigh, fixed(a));
    ad::value const values{a.owner(), append_result(a.owner(), vectors.id(), 1)};
    ad::value const roots = sqrt(chosen(less_than(values, values.like(0)), values * 0.0, values));
    ad::value const rows = ad::unary(op::expand_dims, roots, attribute_list(a.rank() - 1));
    ad::value const columns = ad::unary(op::expand_dims, roots, attribute_list(a.rank() - 2));
    ad::value const transposed = swap_last_axes(vectors), sums = rows + columns;
    ad::value const divisor = chosen(greater(sums, sums.like(0)), sums, sums.like(std::numeric_limits<double>::infinity()));
    ad::value x = ad::detail::product(vectors * columns, transposed);
    for (int k = 0; k < 2; ++k) {
        ad::value const rest = ad::detail::product(transposed, ad::detail::product(a - ad::detail::product(x, x), vectors));
        x = x + ad::detail::product(vectors, ad::detail::product(rest / divisor, transposed));
    }
    return x;
}
template <bool IsSymmetric> struct sqrtm_builder : matrix_function_builder {
    static constexpr char const* called = "sqrtm";
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* a) {
        ad::value const x = matrix_operand(scope, a[0]);
        return std::array<node_id, 1>{(IsSymmetric ? symmetric_square_root(x) : square_root::of(scope, x)).id()};
    }
};

// The logarithm is computed as log a = 2^k log(a^(1/2^k)), where k is so large that the root 1 + y is near 1. There the logarithm
// is the integral of y / (1 + t y) over t from 0 to 1, computed by the Gauss-Legendre rule of eight points, which equals the Pade
// approximant [8/8]. (N. Higham, Functions of Matrices, 2008, section 11.4)
class matrix_logarithm {
public:
    TRACEXPR_ONCE static constexpr ad::value of(trace_scope& scope, ad::value const& a) {
        if (any_extent_is_zero(a.shape())) return a;
        buffer<node_id> state;
        ad::value const factor = column_norm(fixed(a)) * 0.0 + 1.0;
        for (ad::value const& x : {factor, a}) state.push_back(x.id());
        auto const waits = [](graph& g, buffer<node_id> const& s) {
            ad::value const times{g, s[0]}, x = fixed({g, s[1]}), distance = column_norm(x - identity_in(x));
            return logical_and(greater(distance, distance.like(0.25)), less_than(times, times.like(0x1p60)));
        };
        auto const goes_on = [&](trace_scope& region, buffer<node_id> const& s) {
            return any_of(waits(region.recorded, s)).id();
        };
        auto const next = [&](trace_scope& region, buffer<node_id> const& s) {
            ad::value const grows = waits(region.recorded, s), times{region.recorded, s[0]}, x{region.recorded, s[1]};
            buffer<node_id> out;
            out.push_back(chosen(grows, times * 2.0, times).id());
            out.push_back(chosen(grows, square_root::of(region, x), x).id());
            return out;
        };
        buffer<node_id> const out = record_untyped_loop(scope, state, goes_on, next);
        return near_one({scope.recorded, out[1]}) * ad::value(scope.recorded, out[0]);
    }

private:
    // Computes log x by the rule of eight points, which are 0.5 +- 0.5 places[k].
    TRACEXPR_ONCE static constexpr ad::value near_one(ad::value const& x) {
        constexpr double places[]{0.9602898564975363, 0.7966664774136267, 0.525532409916329, 0.1834346424956498};
        constexpr double weights[]{0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.362683783378362};
        ad::value const one = identity_in(x), y = x - one;
        ad::value sum;
        for (int k = 0; k < 4; ++k)
            for (double const side : {-1.0, 1.0})
                sum = sum + ad::detail::solution(one + y * (0.5 + 0.5 * side * places[k]), y) * (0.5 * weights[k]);
        return sum;
    }
};
struct logm_builder : matrix_function_builder {
    static constexpr char const* called = "logm";
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* a) {
        return std::array<node_id, 1>{matrix_logarithm::of(scope, matrix_operand(scope, a[0])).id()};
    }
};

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// Computes the exponential of square matrices, (..., n, n) -> (..., n, n), by Pade approximants with scaling and squaring.
template <array_operand A> [[nodiscard]] constexpr auto expm(A const& a) {
    constexpr bool is_square = detail::takes_operand<detail::expm_builder, A>;
    static_assert(is_square, "tx: linalg::expm: takes real square matrices in the last two axes");
    return detail::apply_if<is_square>(detail::built_fn<detail::expm_builder>{}, a);
}
// Computes the principal logarithm of square matrices, (..., n, n) -> (..., n, n), whose eigenvalues have imaginary parts between
// -pi and pi. It is NaN where an eigenvalue is a negative real number, as the logarithm then isn't real. A singular matrix throws
// tx::error when the program runs, or gives NaN.
template <array_operand A> [[nodiscard]] constexpr auto logm(A const& a) {
    constexpr bool is_square = detail::takes_operand<detail::logm_builder, A>;
    static_assert(is_square, "tx: linalg::logm: takes real square matrices in the last two axes");
    return detail::apply_if<is_square>(detail::built_fn<detail::logm_builder>{}, a);
}
// Computes the principal square root of square matrices, (..., n, n) -> (..., n, n), whose eigenvalues have positive real parts.
// It is NaN where an eigenvalue is a negative real number. A singular matrix throws tx::error when the program runs, or gives
// NaN.
template <array_operand A> [[nodiscard]] constexpr auto sqrtm(A const& a) {
    constexpr bool is_square = detail::takes_operand<detail::sqrtm_builder<false>, A>;
    static_assert(is_square, "tx: linalg::sqrtm: takes real square matrices in the last two axes");
    return detail::apply_if<is_square>(detail::built_fn<detail::sqrtm_builder<false>>{}, a);
}
// Computes the square root of the symmetric matrices (a + a^T) / 2, whose eigenvalues must be at least 0; negative ones, which
// rounding may have made, count as 0.
template <array_operand A> [[nodiscard]] constexpr auto sqrtm(A const& a, symmetric_t) {
    constexpr bool is_square = detail::takes_operand<detail::sqrtm_builder<true>, A>;
    static_assert(is_square, "tx: linalg::sqrtm: takes real square matrices in the last two axes");
    return detail::apply_if<is_square>(detail::built_fn<detail::sqrtm_builder<true>>{}, a);
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
