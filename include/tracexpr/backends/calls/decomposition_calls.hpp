// This file applies the ops that decompose matrices, and solve with them, to all matrices of a batch. `Methods` is a type whose
// functions do one matrix. Operands and results are row-major and do not overlap. A matrix without such factors throws error, and
// the results may then be partly written.
#pragma once

#include <tracexpr/backends/calls/decompositions.hpp>
#include <tracexpr/backends/calls/dual_factors.hpp>
#include <tracexpr/base/error.hpp>
#include <tracexpr/base/shape.hpp>
#include <tracexpr/base/table_view.hpp>
#include <tracexpr/graph/shape_rules.hpp>

#include <string>

namespace tx {

// matrix_batch is an array whose last two axes are row-major matrices.
template <class T> struct matrix_batch {
    T const* data = nullptr;
    dims shape{};

    std::int64_t rows() const { return shape[shape.rank - 2]; }
    std::int64_t columns() const { return shape[shape.rank - 1]; }
    // Returns the matrix that is used for matrix number `batch` of a result, to whose leading axes those of this batch broadcast.
    // number_of returns its number.
    T const* at(std::int64_t batch, dims const& result) const { return data + number_of(batch, result) * rows() * columns(); }
    std::int64_t number_of(std::int64_t batch, dims const& result) const {
        std::int64_t number = 0, step = 1;
        for (int axis = result.rank - 3; axis >= 0; --axis) {
            int const own_axis = axis - (result.rank - shape.rank);
            if (own_axis >= 0 && shape[own_axis] != 1) number += batch % result[axis] * step;
            if (own_axis >= 0) step *= shape[own_axis];
            batch /= result[axis];
        }
        return number;
    }
};

// `decomposed` has the addresses of an op's results; those that the op has not are null.
template <class T> struct decomposed {
    T* matrices = nullptr;          // the first factors, or a solution
    T* numbers = nullptr;           // signs of rows, eigenvalues, or singular values
    std::int64_t* places = nullptr; // lu: the row of a that each row was
    T* factors = nullptr;           // r of qr, vh of svd
};
// Names the addresses of an op's results, which `results` has in the op's order.
template <class T> decomposed<T> decomposed_into(op code, std::byte* const* results) {
    decomposed<T> to{reinterpret_cast<T*>(results[0])};
    if (code == op::lu) to.places = reinterpret_cast<std::int64_t*>(results[1]), to.numbers = reinterpret_cast<T*>(results[2]);
    if (code == op::eigh || code == op::svd) to.numbers = reinterpret_cast<T*>(results[1]);
    if (code == op::qr) to.factors = reinterpret_cast<T*>(results[1]);
    if (code == op::svd) to.factors = reinterpret_cast<T*>(results[2]);
    return to;
}

namespace detail::inline TRACEXPR_TARGET {
[[noreturn]] inline void throw_no_factors(char const* what_must_hold, std::int64_t number, dims const& given,
                                          char const* what_is_wrong) {
    throw error(std::string("tx: ") + what_must_hold + "; matrix " + std::to_string(number) + " of " + to_string(given) +
                what_is_wrong);
}
inline triangle triangle_in(table_view<std::int64_t> attributes) {
    return {attributes[0] != 0, attributes[1] != 0, attributes[2] != 0};
}
inline std::int64_t matrices_in(dims const& shape) {
    std::int64_t count = 1;
    for (int axis = 0; axis < shape.rank - 2; ++axis) count *= shape[axis];
    return count;
}

// plain_methods calls the plain loops of decompositions.hpp, for any T.
struct plain_methods {
    template <class T> static bool cholesky(std::int64_t n, T const* a, T* out) {
        plain::copy_symmetric(n, a, out);
        return plain::cholesky(n, out);
    }
    template <class T> static void lu(std::int64_t n, T* a, std::int64_t* places, T* signs) { plain::lu(n, a, places, signs); }
    template <class T> static bool eigh(std::int64_t n, T const* a, T* values, T* vectors) {
        std::vector<T> copy(a, a + n * n);
        return plain::eigh(n, copy.data(), values, vectors);
    }
    template <class T> static void qr(std::int64_t m, std::int64_t n, T const* a, T* q, T* r) {
        std::vector<T> copy(a, a + m * n);
        plain::qr(m, n, copy.data(), q, r);
    }
    template <class T> static bool svd(std::int64_t m, std::int64_t n, T const* a, T* u, T* s, T* vh) {
        return plain::svd(m, n, a, u, s, vh);
    }
    template <class T>
    static void solve_triangular(std::int64_t n, std::int64_t k, T const* a, std::int64_t stride, triangle form, T* x) {
        plain::solve_triangular(n, k, a, stride, form, x);
    }
};

[[noreturn]] inline void throw_not_definite(std::int64_t number, dims const& given) {
    throw_no_factors("cholesky: a must be positive definite", number, given, " is not");
}
template <class Methods, class T> void cholesky(matrix_batch<T> const& a, T* out) {
    std::int64_t const n = a.rows();
    for (std::int64_t batch = 0, count = matrices_in(a.shape); batch < count; ++batch)
        if (!Methods::cholesky(n, a.data + batch * n * n, out + batch * n * n)) throw_not_definite(batch, a.shape);
}

template <class Methods, class T> void lu(matrix_batch<T> const& a, decomposed<T> out) {
    std::int64_t const n = a.rows();
    for (std::int64_t batch = 0, count = matrices_in(a.shape); batch < count; ++batch) {
        std::copy_n(a.data + batch * n * n, n * n, out.matrices + batch * n * n);
        Methods::lu(n, out.matrices + batch * n * n, out.places + batch * n, out.numbers + batch * n);
    }
}

// Returns the largest absolute value of the elements; it is NaN or infinite if an element is.
template <class T> auto largest_size(std::int64_t count, T const* x) {
    auto largest = primal(T(0));
    for (std::int64_t i = 0; i < count; ++i)
        if (auto const size = std::abs(primal(x[i])); !(size <= largest)) {
            if (!(size <= std::numeric_limits<decltype(largest)>::max())) return size;
            largest = size;
        }
    return largest;
}

// Writes the eigenvectors as columns, by ascending eigenvalue. The sign of an eigenvector is free: here its first element that is
// not small is positive, so that all methods agree, and vectors change smoothly with the matrix.
template <class T> void write_eigenvectors(std::int64_t n, T scale, T const* values, T const* vectors, T* out, T* out_values) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
    std::sort(order.begin(), order.end(),
              [&](std::int64_t i, std::int64_t j) { return values[i] < values[j] || (values[i] == values[j] && i < j); });
    T const small = T(1 / (2 * std::sqrt(static_cast<decltype(primal(T()))>(n))));
    using std::abs;
    for (std::int64_t j = 0; j < n; ++j) {
        T const* const v = vectors + order[static_cast<std::size_t>(j)] * n;
        std::int64_t first = 0;
        while (first + 1 < n && abs(v[first]) < small) ++first;
        for (std::int64_t i = 0; i < n; ++i) out[i * n + j] = (v[first] < T(0) ? -v[i] : v[i]) + T(0); // + 0 makes -0 a 0
        out_values[j] = values[order[static_cast<std::size_t>(j)]] * scale;
    }
}
// Before the decomposition the matrix is divided by its largest element, so that no square overflows.
template <class Methods, class T> void eigh(matrix_batch<T> const& a, decomposed<T> out) {
    std::int64_t const n = a.rows(), size = n * n;
    std::vector<T> scaled(static_cast<std::size_t>(size)), values(static_cast<std::size_t>(n)),
        vectors(static_cast<std::size_t>(size));
    for (std::int64_t batch = 0, count = matrices_in(a.shape); batch < count; ++batch) {
        T *const to = out.matrices + batch * size, *const to_values = out.numbers + batch * n;
        T const* const from = a.data + batch * size;
        auto const largest = largest_size(size, from);
        if (!(largest <= std::numeric_limits<decltype(primal(T()))>::max())) {
            std::fill_n(to, size, std::numeric_limits<T>::quiet_NaN());
            std::fill_n(to_values, n, std::numeric_limits<T>::quiet_NaN());
            continue;
        }
        T const scale = largest > 0 ? T(largest) : T(1);
        plain::copy_symmetric(n, from, scaled.data());
        for (T& x : scaled) x /= scale;
        if (!Methods::eigh(n, scaled.data(), values.data(), vectors.data()))
            throw_no_factors("eigh: the eigenvalues must be found", batch, a.shape, " resists all methods");
        write_eigenvectors(n, scale, values.data(), vectors.data(), to, to_values);
    }
}

template <class Methods, class T> void qr(matrix_batch<T> const& a, decomposed<T> out) {
    std::int64_t const m = a.rows(), n = a.columns(), k = std::min(m, n);
    for (std::int64_t batch = 0, count = matrices_in(a.shape); batch < count; ++batch)
        Methods::qr(m, n, a.data + batch * m * n, out.matrices + batch * m * k, out.factors + batch * k * n);
}

// Chooses the signs of the columns of u (m, k) and the rows of vh (k, n), by the rule of write_eigenvectors for the columns of u.
template <class T> void choose_signs(std::int64_t m, std::int64_t n, std::int64_t k, T* u, T* vh) {
    using std::abs;
    T const small = T(1 / (2 * std::sqrt(static_cast<decltype(primal(T()))>(m))));
    std::vector<T> sizes(static_cast<std::size_t>(k)), signs(static_cast<std::size_t>(k));
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < k; ++j)
            if (T& size = sizes[static_cast<std::size_t>(j)]; size < small) { // no element of this column was large enough yet
                size = abs(u[i * k + j]);
                signs[static_cast<std::size_t>(j)] = T(primal(u[i * k + j]) < 0 ? -1 : 1);
            }
    for (std::int64_t i = 0; i < m; ++i)
        // + 0 makes -0 a 0
        for (std::int64_t j = 0; j < k; ++j) u[i * k + j] = u[i * k + j] * signs[static_cast<std::size_t>(j)] + T(0);
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < n; ++j) vh[i * n + j] = vh[i * n + j] * signs[static_cast<std::size_t>(i)] + T(0);
}
// Before the decomposition the matrix is divided by its largest element, as in eigh.
template <class Methods, class T> void svd(matrix_batch<T> const& a, decomposed<T> out) {
    std::int64_t const m = a.rows(), n = a.columns(), k = std::min(m, n);
    std::vector<T> scaled(static_cast<std::size_t>(m * n));
    for (std::int64_t batch = 0, count = matrices_in(a.shape); batch < count; ++batch) {
        T *const u = out.matrices + batch * m * k, *const s = out.numbers + batch * k, *const vh = out.factors + batch * k * n;
        T const* const from = a.data + batch * m * n;
        auto const largest = largest_size(m * n, from);
        if (!(largest <= std::numeric_limits<decltype(primal(T()))>::max())) {
            for (auto const& [to, size] : {std::pair(u, m * k), std::pair(s, k), std::pair(vh, k * n)})
                std::fill_n(to, size, std::numeric_limits<T>::quiet_NaN());
            continue;
        }
        T const scale = largest > 0 ? T(largest) : T(1);
        for (std::int64_t i = 0; i < m * n; ++i) scaled[static_cast<std::size_t>(i)] = from[i] / scale;
        if (!Methods::svd(m, n, scaled.data(), u, s, vh))
            throw_no_factors("svd: the singular values must be found", batch, a.shape, " resists all methods");
        for (std::int64_t i = 0; i < k; ++i) s[i] = s[i] * scale;
        choose_signs(m, n, k, u, vh);
    }
}

template <class T> void refuse_zeros(matrix_batch<T> const& a, char const* what_must_hold, char const* what_is_wrong) {
    std::int64_t const n = a.rows();
    for (std::int64_t batch = 0, count = matrices_in(a.shape); batch < count; ++batch)
        if (plain::has_zero_on_diagonal(n, a.data + batch * n * n))
            throw_no_factors(what_must_hold, batch, a.shape, what_is_wrong);
}
template <class T> void refuse_zeros_in_triangle(matrix_batch<T> const& a, triangle form) {
    if (!form.unit) refuse_zeros(a, "solve_triangular: the diagonal of a must have no 0", " has one");
}
template <class T> void refuse_singular(matrix_batch<T> const& factors) {
    refuse_zeros(factors, "solve, inv: a must be invertible", " is singular");
}

template <class Methods, class T>
void solve_triangular(matrix_batch<T> const& a, matrix_batch<T> const& b, T* out, dims const& extents, triangle form) {
    std::int64_t const n = a.rows(), k = b.columns();
    refuse_zeros_in_triangle(a, form);
    for (std::int64_t batch = 0, count = matrices_in(extents); batch < count; ++batch) {
        T* const x = out + batch * n * k;
        std::copy_n(b.at(batch, extents), n * k, x);
        Methods::solve_triangular(n, k, a.at(batch, extents), n, form, x);
    }
}

// Solves with the factors that lu made: P a = L U, so a x = b is L U x = P b, and a^T x = b is U^T L^T (P x) = b.
template <class Methods, class T> void solve(matrix_batch<T> const& factors, std::int64_t const* places, matrix_batch<T> const& b,
                                             T* out, dims const& extents, bool transposed) {
    std::int64_t const n = factors.rows(), k = b.columns();
    refuse_singular(factors);
    std::vector<T> permuted(transposed ? static_cast<std::size_t>(n * k) : 0);
    for (std::int64_t batch = 0, count = matrices_in(extents); batch < count; ++batch) {
        T const *const lu = factors.at(batch, extents), *const from = b.at(batch, extents);
        T* const x = out + batch * n * k;
        std::int64_t const* const row = places + factors.number_of(batch, extents) * n;
        if (transposed) {
            std::copy_n(from, n * k, permuted.data());
            Methods::solve_triangular(n, k, lu, n, {false, true, false}, permuted.data());
            Methods::solve_triangular(n, k, lu, n, {true, true, true}, permuted.data());
            for (std::int64_t i = 0; i < n; ++i) std::copy_n(permuted.data() + i * k, k, x + row[i] * k);
        } else {
            for (std::int64_t i = 0; i < n; ++i) std::copy_n(from + row[i] * k, k, x + i * k);
            Methods::solve_triangular(n, k, lu, n, {true, false, true}, x);
            Methods::solve_triangular(n, k, lu, n, {false, false, false}, x);
        }
    }
}
} // namespace detail::inline TRACEXPR_TARGET

inline namespace TRACEXPR_TARGET {
// Runs any op of kind::decomposition. `extents` are those of the first result; `places` are the row places that lu made, for
// solve.
template <class Methods, class T> void decompose(op code, table_view<matrix_batch<T>> operands, std::int64_t const* places,
                                                 decomposed<T> out, dims const& extents, table_view<std::int64_t> attributes) {
    matrix_batch<T> const& a = operands[0];
    switch (code) {
    case op::cholesky: return detail::cholesky<Methods>(a, out.matrices);
    case op::lu: return detail::lu<Methods>(a, out);
    case op::eigh: return detail::eigh<Methods>(a, out);
    case op::qr: return detail::qr<Methods>(a, out);
    case op::svd: return detail::svd<Methods>(a, out);
    case op::solve_triangular:
        return detail::solve_triangular<Methods>(a, operands[1], out.matrices, extents, detail::triangle_in(attributes));
    default: return detail::solve<Methods>(operands[2], places, operands[1], out.matrices, extents, attributes[0] != 0);
    }
}
} // namespace TRACEXPR_TARGET
} // namespace tx
