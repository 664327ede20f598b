// Conjugate gradients, BiCGSTAB and GMRES solve linear systems whose matrix is given by a callable that multiplies by it. How
// many iterations they take depends on the values; derivatives are those of the solution.
#pragma once

#include <tracexpr/matrices/implicit.hpp>
#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/least_squares.hpp>
#include <tracexpr/trace/linalg_solutions.hpp>
#include <tracexpr/transforms/loops.hpp>

#include <cstdint>

namespace tx {
namespace linalg {

// no_preconditioner is the default preconditioner, the identity.
struct no_preconditioner {
    template <class X> constexpr X const& operator()(X const& x) const { return x; }
};
// The options of iterative solvers. They end where the norm of the residual is at most max(tolerance * norm(b), absolute), or
// after max_iterations (for gmres: restarts). The preconditioner takes x and gives about a^-1 x; to name one write
// tx::linalg::iterative_options{.preconditioner = m}.
template <class Preconditioner = no_preconditioner> struct iterative_options {
    double tolerance = 1e-5;
    double absolute = 0;
    std::int64_t max_iterations = 1000;
    Preconditioner preconditioner{};
};

} // namespace linalg

namespace detail {

template <class A, class B> constexpr auto inner_product(A const& a, B const& b) { return tx::sum(a * b); }
// Returns the bound that the square of the residual's norm must not exceed.
template <class B, class O> constexpr auto residual_bound(B const& b, O const& options) {
    return tx::maximum(inner_product(b, b) * (options.tolerance * options.tolerance), options.absolute * options.absolute);
}
// Computes a / b, and 0 where a is 0: at the solution both are 0.
template <class A, class B> constexpr auto ratio_or_zero(A const& a, B const& b) {
    return tx::where(a == 0, a * 0, a / tx::where(a == 0, b * 0 + 1, b));
}
template <class F, class B> constexpr bool check_iterative() {
    constexpr bool takes_vector = requires(F const& f, B const& b) { f(b); };
    static_assert(takes_vector,
                  "tx: linalg: an iterative solver takes a callable that multiplies by the matrix: it is called on what has "
                  "b's shape");
    constexpr bool is_floating_side = is_floating(dtype_of_operand<B>);
    static_assert(is_floating_side, "tx: linalg: an iterative solver takes a floating b; cast it first");
    return takes_vector && is_floating_side;
}

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// Solves apply_a(x) = b, where apply_a is linear, symmetric and positive definite, by conjugate gradients; b has any shape, and
// apply_a must keep it. conjugate_gradient(apply_a, b, {.tolerance = 1e-8}). (SciPy, JAX: cg)
template <class F, array_operand B, class P>
[[nodiscard]] constexpr auto conjugate_gradient(F const& apply_a, B const& b, iterative_options<P> const& options) {
    if constexpr (!detail::check_iterative<F, B>()) {
        return detail::failed{};
    } else {
        auto const solve = [&](auto const& multiply, auto const& side) {
            auto const bound = detail::residual_bound(side, options);
            auto const x = side * 0;
            auto const z = options.preconditioner(side);
            auto const goes_on = [&](auto const& i, auto const&, auto const& r, auto const&, auto const&) {
                return tx::logical_and(detail::inner_product(r, r) > bound, i < options.max_iterations);
            };
            auto const step = [&](auto const& i, auto const& at, auto const& r, auto const& p, auto const& gamma) {
                auto const product = multiply(p);
                auto const alpha = gamma / detail::inner_product(p, product);
                auto const rest = r - alpha * product;
                auto const preconditioned = options.preconditioner(rest);
                auto const next = detail::inner_product(rest, preconditioned);
                return std::tuple(i + 1, at + alpha * p, rest, preconditioned + detail::ratio_or_zero(next, gamma) * p, next);
            };
            auto const start = tx::sum(tx::cast<std::int64_t>(x) * 0);
            return std::get<1>(tx::while_loop(goes_on, step, start, x, side + x, z + x, detail::inner_product(side, z)));
        };
        return detail::solved_implicitly<true>(apply_a, b, solve);
    }
}
template <class F, array_operand B>
[[nodiscard]] constexpr auto conjugate_gradient(F const& apply_a, B const& b, iterative_options<> options = {}) {
    return linalg::conjugate_gradient<F, B, no_preconditioner>(apply_a, b, options);
}

// Solves apply_a(x) = b, where apply_a is linear, by stabilised biconjugate gradients. (H. van der Vorst, 1992; SciPy, JAX:
// bicgstab)
template <class F, array_operand B, class P>
[[nodiscard]] constexpr auto bicgstab(F const& apply_a, B const& b, iterative_options<P> const& options) {
    if constexpr (!detail::check_iterative<F, B>()) {
        return detail::failed{};
    } else {
        auto const solve = [&](auto const& multiply, auto const& side) {
            auto const bound = detail::residual_bound(side, options);
            auto const x = side * 0;
            auto const one = tx::sum(x) + 1;
            auto const goes_on = [&](auto const& i, auto const&, auto const& r, auto const&...) {
                return tx::logical_and(detail::inner_product(r, r) > bound, i < options.max_iterations);
            };
            auto const step = [&](auto const& i, auto const& at, auto const& r, auto const& p, auto const& q, auto const& rho,
                                  auto const& alpha, auto const& omega) {
                auto const next_rho = detail::inner_product(side, r);
                auto const beta = detail::ratio_or_zero(next_rho, rho) * (alpha / omega);
                auto const next_p = r + beta * (p - omega * q);
                auto const preconditioned = options.preconditioner(next_p);
                auto const next_q = multiply(preconditioned);
                auto const next_alpha = detail::ratio_or_zero(next_rho, detail::inner_product(side, next_q));
                auto const s = r - next_alpha * next_q;
                auto const preconditioned_s = options.preconditioner(s);
                auto const t = multiply(preconditioned_s);
                auto const next_omega = detail::ratio_or_zero(detail::inner_product(t, s), detail::inner_product(t, t));
                return std::tuple(i + 1, at + next_alpha * preconditioned + next_omega * preconditioned_s, s - next_omega * t,
                                  next_p, next_q, next_rho, next_alpha, tx::where(next_omega == 0, next_omega + 1, next_omega));
            };
            auto const start = tx::sum(tx::cast<std::int64_t>(x) * 0);
            return std::get<1>(tx::while_loop(goes_on, step, start, x, side + x, x, x, one, one, one));
        };
        return detail::solved_implicitly<false>(apply_a, b, solve);
    }
}
template <class F, array_operand B>
[[nodiscard]] constexpr auto bicgstab(F const& apply_a, B const& b, iterative_options<> options = {}) {
    return linalg::bicgstab<F, B, no_preconditioner>(apply_a, b, options);
}

// Solves apply_a(x) = b, where apply_a is linear and b a vector, by GMRES: gmres<30>(apply_a, b) minimises the residual in a
// Krylov space of Restart dimensions, and starts again from the result. (Y. Saad and M. Schultz, 1986; SciPy, JAX: gmres)
template <std::int64_t Restart = 20, class F, array_operand B, class P>
[[nodiscard]] constexpr auto gmres(F const& apply_a, B const& b, iterative_options<P> const& options) {
    constexpr bool is_vector = detail::dims_of_operand<B>.rank == 1;
    static_assert(is_vector, "tx: linalg::gmres: b must be a vector; flatten it with tx::reshape<-1>");
    if constexpr (!is_vector || !detail::check_iterative<F, B>()) {
        return detail::failed{};
    } else {
        using T = ctype<detail::dtype_of_operand<B>>;
        auto const solve = [&](auto const& multiply, auto const& side) {
            auto const bound = detail::residual_bound(side, options);
            auto const x = side * 0;
            auto const rows = tx::arange<std::int64_t>(Restart + 1);
            auto const arnoldi = [&](auto const& j, auto const& basis, auto const& products) {
                auto const v = tx::take<0>(basis, j);
                auto const w = options.preconditioner(multiply(v));
                auto const first = tx::matmul(basis, w);
                auto const rest = w - tx::matmul(first, basis);
                auto const second = tx::matmul(basis, rest);
                auto const left = rest - tx::matmul(second, basis);
                auto const size = tx::sqrt(detail::inner_product(left, left));
                auto const is_new = size > 1e-30;
                auto const next = left / tx::where(is_new, size, size * 0 + 1) * tx::cast<T>(is_new);
                auto const is_next = tx::cast<T>(rows == j + 1), is_here = tx::cast<T>(rows == j);
                auto const column = first + second + is_next * size;
                return std::tuple(basis + tx::expand_dims<1>(is_next) * tx::expand_dims<0>(next),
                                  products +
                                      tx::expand_dims<1>(column) * tx::expand_dims<0>(tx::slice(is_here, tx::range<0, Restart>)));
            };
            auto const zeros = tx::cast<T>(rows) * T(0);
            auto const goes_on = [&](auto const& i, auto const&, auto const& r) {
                return tx::logical_and(detail::inner_product(r, r) > bound, i < options.max_iterations);
            };
            auto const step = [&](auto const& i, auto const& at, auto const& r) {
                auto const preconditioned = options.preconditioner(r);
                auto const size = tx::sqrt(detail::inner_product(preconditioned, preconditioned));
                auto const is_first = tx::cast<T>(rows == 0);
                auto const basis = tx::expand_dims<1>(is_first) * tx::expand_dims<0>(preconditioned / size);
                auto const products =
                    tx::expand_dims<1>(zeros) * tx::expand_dims<0>(tx::slice(zeros, tx::range<0, Restart>)) + size * 0;
                auto const both = tx::fori_loop(0, Restart, arnoldi, basis, products);
                auto const weights = std::get<0>(linalg::lstsq(std::get<1>(both), is_first * size));
                auto const moved = at + tx::matmul(weights, tx::slice(std::get<0>(both), tx::range<0, Restart>));
                return std::tuple(i + 1, moved, side - multiply(moved));
            };
            auto const start = tx::sum(tx::cast<std::int64_t>(x) * 0);
            return std::get<1>(tx::while_loop(goes_on, step, start, x, side + x));
        };
        return detail::solved_implicitly<false>(apply_a, b, solve);
    }
}
template <std::int64_t Restart = 20, class F, array_operand B>
[[nodiscard]] constexpr auto gmres(F const& apply_a, B const& b, iterative_options<> options = {}) {
    return linalg::gmres<Restart, F, B, no_preconditioner>(apply_a, b, options);
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
