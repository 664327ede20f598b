// This file solves triangular systems on a device, with a thread for each column of the right sides.
#pragma once

#include <tracexpr/graph/triangle.hpp>
#include <tracexpr/thrust/call_points.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// Matrices (n, n), and right sides (n, columns), at all points of the batches; several points may share a matrix.
struct triangular_batch {
    std::int64_t n, columns, batches;
    point_axes a_batches;
    triangle form;

    // A device's single thread is slow. Are there enough columns, or are they short enough, that a thread for each beats the
    // host?
    constexpr bool suits_threads() const { return n <= 256 || columns * batches >= 1024; }
};
// Solves a x = b in place, for one column of b.
template <class T> struct solve_column {
    triangular_batch batch;
    T const* matrices;
    T* right;
    TRACEXPR_HD void operator()(std::int64_t column) const {
        std::int64_t const n = batch.n, step = batch.columns, j = divide(column, step);
        T const* const a = matrices + batch.a_batches.offset(column);
        T* const x = right + column * n * step + j;
        bool const transposed = batch.form.transposed, forward = batch.form.lower != transposed;
        for (std::int64_t done = 0; done < n; ++done) {
            std::int64_t const i = forward ? done : n - 1 - done;
            T rest = x[i * step];
            for (std::int64_t earlier = 0; earlier < done; ++earlier) {
                std::int64_t const k = forward ? earlier : n - 1 - earlier;
                rest -= (transposed ? a[k * n + i] : a[i * n + k]) * x[k * step];
            }
            x[i * step] = batch.form.unit ? rest : rest / a[i * n + i];
        }
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
