// This file computes decompositions of square matrices and solves triangular systems on a device, with a thread for each of many
// small matrices, or for each column of the right sides. The loops are those of backends/calls/decompositions.hpp.
#pragma once

#include <tracexpr/thrust/call_cublas.hpp>
#include <tracexpr/thrust/call_host.hpp>
#include <tracexpr/thrust/call_lookups.hpp>
#include <tracexpr/thrust/call_triangles.hpp>

#include <concepts>
#include <optional>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// to = (a + a^T) / 2, an element in each call.
template <class T> struct copy_symmetric {
    std::int64_t n;
    T const* a;
    T* to;
    TRACEXPR_HD void operator()(std::int64_t element) const {
        std::int64_t matrix = element;
        std::int64_t const j = divide(matrix, n), i = divide(matrix, n);
        T const* const from = a + matrix * n * n;
        to[element] = from[i * n + j] / 2 + from[j * n + i] / 2;
    }
};

// Replaces a symmetric matrix by L, and notes in `failed` whether it is not positive definite.
template <class T> struct factor_cholesky {
    std::int64_t n;
    T* matrices;
    int* failed;
    TRACEXPR_HD void operator()(std::int64_t matrix) const {
        T* const a = matrices + matrix * n * n;
        failed[matrix] = 0;
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = j; i < n; ++i) {
                T rest = a[i * n + j];
                for (std::int64_t k = 0; k < j; ++k) rest -= a[i * n + k] * a[j * n + k];
                if (i == j && rest <= T(0)) {
                    failed[matrix] = 1;
                    return;
                }
                a[i * n + j] = i == j ? std::sqrt(rest) : rest / a[j * n + j];
                if (i != j) a[j * n + i] = T(0);
            }
    }
};

// Replaces a matrix by L, below the diagonal, and U.
template <class T> struct factor_lu {
    std::int64_t n;
    T* matrices;
    std::int64_t* places;
    T* signs;
    TRACEXPR_HD void operator()(std::int64_t matrix) const {
        T *const a = matrices + matrix * n * n, *const sign = signs + matrix * n;
        std::int64_t* const place = places + matrix * n;
        for (std::int64_t i = 0; i < n; ++i) place[i] = i, sign[i] = T(1);
        for (std::int64_t k = 0; k < n; ++k) {
            std::int64_t best = k;
            for (std::int64_t i = k + 1; i < n; ++i)
                if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
            if (best != k) swap_rows(a, place, k, best), sign[k] = T(-1);
            T const pivot = a[k * n + k];
            for (std::int64_t i = k + 1; i < n && pivot != T(0); ++i) {
                T const factor = a[i * n + k] /= pivot;
                for (std::int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    TRACEXPR_HD void swap_rows(T* a, std::int64_t* place, std::int64_t i, std::int64_t j) const {
        for (std::int64_t k = 0; k < n; ++k) {
            T const before = a[i * n + k];
            a[i * n + k] = a[j * n + k], a[j * n + k] = before;
        }
        std::int64_t const before = place[i];
        place[i] = place[j], place[j] = before;
    }
};

// Moves the rows of right sides as lu has moved those of its matrix, an element of `to` in each call; or back, an element of
// `from` in each call.
template <class T> struct move_rows {
    triangular_batch batch; // a_batches are those of `places`
    std::int64_t const* places;
    T const* from;
    T* to;
    bool back;
    TRACEXPR_HD void operator()(std::int64_t element) const {
        std::int64_t rest = element;
        std::int64_t const j = divide(rest, batch.columns), i = divide(rest, batch.n);
        std::int64_t const row = places[batch.a_batches.offset(rest) + i];
        std::int64_t const moved = (rest * batch.n + row) * batch.columns + j;
        if (back) to[moved] = from[element];
        else to[element] = from[moved];
    }
};

// Finds the first matrix with a 0 on its diagonal; matrix_that_failed finds the first that failed.
template <class T> struct matrix_with_zero {
    std::int64_t n;
    T const* matrices;
    TRACEXPR_HD std::int64_t operator()(std::int64_t i) const {
        std::int64_t matrix = i;
        std::int64_t const row = divide(matrix, n);
        return matrices[(matrix * n + row) * n + row] == T(0) ? matrix : beyond_all;
    }
};
struct matrix_that_failed {
    int const* failed;
    TRACEXPR_HD std::int64_t operator()(std::int64_t i) const { return failed[i] != 0 ? i : beyond_all; }
};
template <class F> std::optional<std::int64_t> first_found(device_queue& queue, std::int64_t count, F const& f) {
    std::int64_t const first = reduced_numbers<smaller_number>(queue, count, f, beyond_all);
    return first == beyond_all ? std::nullopt : std::optional(first);
}

template <class T> void cholesky_by_threads(device_queue& queue, matrix_batch<T> const& a, T* out) {
    std::int64_t const n = a.rows(), count = matrices_in(a.shape);
    device_block const failed(queue, count * static_cast<std::int64_t>(sizeof(int)));
    int* const at = reinterpret_cast<int*>(failed.data());
    for_each_index(queue, count * n * n, copy_symmetric<T>{n, a.data, out});
    for_each_index(queue, count, factor_cholesky<T>{n, out, at});
    if (auto const first = first_found(queue, count, matrix_that_failed{at}))
        throw_no_factors("cholesky: a must be positive definite", *first, a.shape, " is not");
}
template <class T> void lu_by_threads(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    std::int64_t const n = a.rows(), count = matrices_in(a.shape);
    queue.within(out.matrices, a.data, count * n * n * static_cast<std::int64_t>(sizeof(T)));
    for_each_index(queue, count, factor_lu<T>{n, out.matrices, out.places, out.numbers});
}

// Gives the steps of an operand's batches along the leading axes of a result; the operand's matrices start `each` elements apart.
inline point_axes batches_of(dims const& shape, dims const& result, std::int64_t each) {
    std::int64_t steps[max_rank]{};
    for (int axis = shape.rank - 3; axis >= 0; each *= shape[axis--])
        steps[axis + result.rank - shape.rank] = shape[axis] == 1 ? 0 : each;
    point_axes out;
    for (int axis = 0; axis < result.rank - 2; ++axis) out.push_back(result[axis], steps[axis]);
    return out;
}
template <class T>
void refuse_zeros(device_queue& queue, matrix_batch<T> const& a, char const* what_must_hold, char const* wrong) {
    if (auto const first = first_found(queue, matrices_in(a.shape) * a.rows(), matrix_with_zero<T>{a.rows(), a.data}))
        throw_no_factors(what_must_hold, *first, a.shape, wrong);
}
// Copies the right sides to where their results will be.
template <class T> void spread_right_sides(device_queue& queue, matrix_batch<T> const& b, T* out, dims const& extents) {
    constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(T));
    std::int64_t steps[max_rank]{}, step = 1;
    for (int axis = b.shape.rank - 1; axis >= 0; step *= b.shape[axis--])
        steps[axis + extents.rank - b.shape.rank] = b.shape[axis] == 1 ? 0 : step;
    copy_contiguous(queue, {reinterpret_cast<std::byte const*>(b.data), extents, steps}, element_bytes,
                    reinterpret_cast<std::byte*>(out));
}
template <class T>
triangular_batch batch_for(matrix_batch<T> const& a, dims const& extents, std::int64_t each, triangle form = {}) {
    return {a.rows(), extents[extents.rank - 1], matrices_in(extents), batches_of(a.shape, extents, each), form};
}
template <class T> void solve_in_place(device_queue& queue, matrix_batch<T> const& a, T* x, dims const& extents, triangle form) {
    triangular_batch const batch = batch_for(a, extents, a.rows() * a.rows(), form);
#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUBLAS)
    if (!batch.suits_threads()) return solve_with_cublas(queue, batch, a.data, x);
#endif
    for_each_index(queue, batch.batches * batch.columns, solve_column<T>{batch, a.data, x});
}
template <class T> void solve_triangular_by_threads(device_queue& queue, matrix_batch<T> const& a, matrix_batch<T> const& b,
                                                    T* out, dims const& extents, triangle form) {
    if (!form.unit) refuse_zeros(queue, a, "solve_triangular: the diagonal of a must have no 0", " has one");
    spread_right_sides(queue, b, out, extents);
    solve_in_place(queue, a, out, extents, form);
}
// As P a = L U, a x = b is L U x = P b, and a^T x = b is U^T L^T (P x) = b.
template <class T> void solve_by_threads(device_queue& queue, matrix_batch<T> const& factors, std::int64_t const* places,
                                         matrix_batch<T> const& b, T* out, dims const& extents, bool transposed) {
    refuse_zeros(queue, factors, "solve, inv: a must be invertible", " is singular");
    device_block const memory(queue, extents.size() * static_cast<std::int64_t>(sizeof(T)));
    T* const moved = reinterpret_cast<T*>(memory.data());
    triangular_batch const rows = batch_for(factors, extents, factors.rows());
    spread_right_sides(queue, b, moved, extents);
    if (transposed) {
        solve_in_place(queue, factors, moved, extents, {false, true, false});
        solve_in_place(queue, factors, moved, extents, {true, true, true});
        for_each_index(queue, extents.size(), move_rows<T>{rows, places, moved, out, true});
    } else {
        for_each_index(queue, extents.size(), move_rows<T>{rows, places, moved, out, false});
        solve_in_place(queue, factors, out, extents, {true, false, true});
        solve_in_place(queue, factors, out, extents, {false, false, false});
    }
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
