// This file computes qr and svd of dual numbers: the factors of the values, and the tangents of the factors by the formulas of
// ad/rectangular_rules.hpp, in plain loops for small matrices. Duals of duals compute their values' factors by recursion.
#pragma once

#include <tracexpr/backends/calls/singular_values.hpp>
#include <tracexpr/base/dual.hpp>

namespace tx::inline TRACEXPR_TARGET::plain {

// matrix_of is a row-major matrix (m, n) that owns its elements.
template <class T> struct matrix_of {
    std::int64_t m, n;
    std::vector<T> elements;
    matrix_of(std::int64_t rows, std::int64_t columns) : m{rows}, n{columns}, elements(static_cast<std::size_t>(m * n), T(0)) {}
    template <class F> matrix_of(std::int64_t rows, std::int64_t columns, F f) : matrix_of(rows, columns) {
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) (*this)(i, j) = f(i, j);
    }
    T* data() { return elements.data(); }
    T& operator()(std::int64_t i, std::int64_t j) { return elements[static_cast<std::size_t>(i * n + j)]; }
    T const& operator()(std::int64_t i, std::int64_t j) const { return elements[static_cast<std::size_t>(i * n + j)]; }
    matrix_of transposed() const {
        return matrix_of(n, m, [&](std::int64_t i, std::int64_t j) { return (*this)(j, i); });
    }
    friend matrix_of operator*(matrix_of const& a, matrix_of const& b) {
        return matrix_of(a.m, b.n, [&](std::int64_t i, std::int64_t j) {
            T sum = T(0);
            for (std::int64_t k = 0; k < a.n; ++k) sum += a(i, k) * b(k, j);
            return sum;
        });
    }
    friend matrix_of operator+(matrix_of const& a, matrix_of const& b) {
        return matrix_of(a.m, a.n, [&](std::int64_t i, std::int64_t j) { return a(i, j) + b(i, j); });
    }
    friend matrix_of operator-(matrix_of const& a, matrix_of const& b) {
        return matrix_of(a.m, a.n, [&](std::int64_t i, std::int64_t j) { return a(i, j) - b(i, j); });
    }
};
// Copies one member of each dual number, the value or the tangent, to a matrix.
template <class T> matrix_of<T> part_of(std::int64_t m, std::int64_t n, dual<T> const* a, T dual<T>::* part) {
    return matrix_of<T>(m, n, [&](std::int64_t i, std::int64_t j) { return a[i * n + j].*part; });
}
template <class T> void write_duals(matrix_of<T> const& values, matrix_of<T> const& tangents, dual<T>* out) {
    for (std::size_t i = 0; i < values.elements.size(); ++i) out[i] = {values.elements[i], tangents.elements[i]};
}

// With W = dA R^-1 and X = Q^T W: dQ = W + Q (S - X) and dR = Q^T dA + dQ^T A, where S is skew and equals X below the diagonal.
template <class T> void qr(std::int64_t m, std::int64_t n, dual<T>* a, dual<T>* q, dual<T>* r) {
    std::int64_t const k = std::min(m, n);
    matrix_of<T> const da = part_of(m, n, a, &dual<T>::tangent);
    matrix_of<T> values = part_of(m, n, a, &dual<T>::value), q_values(m, k), r_values(k, n);
    matrix_of<T> const original = values;
    qr(m, n, values.data(), q_values.data(), r_values.data());
    matrix_of<T> w(m, k); // the first k columns of da times R^-1
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < k; ++j) {
            T rest = da(i, j);
            for (std::int64_t p = 0; p < j; ++p) rest -= w(i, p) * r_values(p, j);
            w(i, j) = rest / r_values(j, j);
        }
    matrix_of<T> const x = q_values.transposed() * w;
    matrix_of<T> const skew(k, k, [&](std::int64_t i, std::int64_t j) { return i > j ? x(i, j) : i < j ? -x(j, i) : T(0); });
    matrix_of<T> const dq = w + q_values * (skew - x);
    matrix_of<T> dr = q_values.transposed() * da + dq.transposed() * original;
    for (std::int64_t i = 0; i < k; ++i) std::fill_n(dr.data() + i * n, i, T(0));
    write_duals(q_values, dq, q);
    write_duals(r_values, dr, r);
}

// With P = U^T dA V: ds = diag(P), dU = U K and dV = V L, where K and L are skew:
// K(i, j) = (P(i, j) s_j + P(j, i) s_i) / (s_j^2 - s_i^2), and L is K with s_i and s_j exchanged in the numerator. Equal singular
// values have 0 there. The longer of U and V also moves out of the space of its columns: by (I - U U^T) dA V / s for U.
template <class T> bool svd(std::int64_t m, std::int64_t n, dual<T> const* a, dual<T>* u, dual<T>* s, dual<T>* vh) {
    std::int64_t const k = std::min(m, n);
    matrix_of<T> const da = part_of(m, n, a, &dual<T>::tangent);
    matrix_of<T> values = part_of(m, n, a, &dual<T>::value), u_values(m, k), s_values(1, k), vh_values(k, n);
    if (!svd(m, n, values.data(), u_values.data(), s_values.data(), vh_values.data())) return false;
    auto const singular_value = [&](std::int64_t i) { return s_values(0, i); };
    auto const over = [](T const& x, T const& y) { return y == T(0) ? T(0) : x / y; };
    matrix_of<T> const ut = u_values.transposed(), v = vh_values.transposed(), inner = ut * da * v;
    auto const gap = [&](std::int64_t i, std::int64_t j) {
        return (singular_value(j) - singular_value(i)) * (singular_value(j) + singular_value(i));
    };
    matrix_of<T> const skew_u(k, k, [&](std::int64_t i, std::int64_t j) {
        return over(inner(i, j) * singular_value(j) + inner(j, i) * singular_value(i), gap(i, j));
    });
    matrix_of<T> const skew_v(k, k, [&](std::int64_t i, std::int64_t j) {
        return over(inner(i, j) * singular_value(i) + inner(j, i) * singular_value(j), gap(i, j));
    });
    auto const over_singular_values = [&](matrix_of<T> const& x) { // divides columns by the singular values
        return matrix_of<T>(x.m, k, [&](std::int64_t i, std::int64_t j) { return over(x(i, j), singular_value(j)); });
    };
    matrix_of<T> du = u_values * skew_u, dv = v * skew_v;
    if (matrix_of<T> const moved = da * v; m > n) du = du + over_singular_values(moved - u_values * (ut * moved));
    if (matrix_of<T> const moved = da.transposed() * u_values; m < n)
        dv = dv + over_singular_values(moved - v * (vh_values * moved));
    write_duals(u_values, du, u);
    write_duals(s_values, matrix_of<T>(1, k, [&](std::int64_t, std::int64_t i) { return inner(i, i); }), s);
    write_duals(vh_values, dv.transposed(), vh);
    return true;
}

} // namespace tx::inline TRACEXPR_TARGET::plain
