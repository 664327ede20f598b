// This file multiplies long matrices of a few columns by small ones (such as points by a rotation), with one row in each lane.
#pragma once

#include <tracexpr/backends/contractions/matrix.hpp>
#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/vectors/known_length.hpp>
#include <tracexpr/backends/vectors/values.hpp>
#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// Interleaves N vectors into N * W elements, of which this is vector number Out. first_in_turn takes its lanes from vectors 0 and
// 1; more_in_turn takes those from vector `Column`, and keeps the others.
template <int N, int W, int Out> struct first_in_turn {
    static constexpr int at(int lane) {
        int const element = Out * W + lane;
        return element % N == 1 ? W + element / N : element / N;
    }
};
template <int N, int W, int Out, int Column> struct more_in_turn {
    static constexpr int at(int lane) {
        int const element = Out * W + lane;
        return element % N == Column ? W + element / N : lane;
    }
};
template <int W, int Out, class V, int N> TRACEXPR_INLINE V in_turn(V const (&columns)[N]) {
    V out = shuffle<first_in_turn<N, W, Out>, W>(columns[0], columns[1]);
    if constexpr (N > 2) out = shuffle<more_in_turn<N, W, Out, 2>, W>(out, columns[2]);
    if constexpr (N > 3) out = shuffle<more_in_turn<N, W, Out, 3>, W>(out, columns[3]);
    return out;
}
// to[i * N + j] = columns[j][i]
template <int W, class T, class V, int N> TRACEXPR_INLINE void store_in_turn(T* to, V const (&columns)[N]) {
    if constexpr (N == 1) store<W>(to, columns[0]);
    else
        [&]<int... Out>(std::integer_sequence<int, Out...>) TRACEXPR_INLINE_LAMBDA {
            (store<W>(to + Out * W, in_turn<W, Out>(columns)), ...);
        }(std::make_integer_sequence<int, N>{});
}

inline constexpr std::int64_t most_thin_columns = 4, most_thin_steps = 8;

// Loads W contiguous rows of K columns, each column as a vector.
template <int W, int K, class T, int... Column>
TRACEXPR_INLINE void load_columns(T const* from, lanes<T, W>* to, std::integer_sequence<int, Column...>) {
    ((to[Column] = load_apart<K, T, W, static_cast<int>(sizeof(T))>(from + Column, K)), ...);
}

// c (m, N) = a (m, k) b (k, N), for m >= W. K is k if that is a constant and the rows of a are contiguous, else 0. The last
// vector overlaps the one before it, so some rows are computed twice.
template <int W, int N, int K, class T>
void multiply_rows_in_lanes(std::int64_t m, std::int64_t k, strided_matrix<T> a, T const (&b)[most_thin_steps][N], T* c) {
    TRACEXPR_FUSES
    std::int64_t const steps = K > 0 ? K : k;
    for (std::int64_t done = 0; done < m; done += W) {
        std::int64_t const row = std::min(done, m - W);
        lanes<T, W> columns[most_thin_steps], sums[N]{};
        if constexpr (K > 0) {
            load_columns<W, K>(a.at(row, 0), columns, std::make_integer_sequence<int, K>{});
        } else {
            T const* rows[W];
            for (std::int64_t lane = 0; lane < W; ++lane) rows[lane] = a.at(row + lane, 0);
            to_lanes<W>(0, k, rows, reinterpret_cast<T*>(columns));
        }
        for (std::int64_t step = 0; step < steps; ++step)
            for (int j = 0; j < N; ++j) sums[j] = columns[step] * b[step][j] + sums[j];
        store_in_turn<W>(c + row * N, sums);
    }
}
} // namespace detail

// c = a * b for matrices a of a few contiguous columns and many rows, and b of a few columns; the rows of c are contiguous.
// Returns false, having done nothing, for others.
template <class T, class Arch = simd::default_arch>
bool multiply_thin(std::int64_t m, std::int64_t n, std::int64_t k, strided_matrix<T> a, strided_matrix<T> b, T* c) {
    constexpr int w = moving_lanes<T, Arch>;
    if (n > detail::most_thin_columns || k > detail::most_thin_steps || m < 4 * w || a.column_stride != 1) return false;
    with_length(n, [&](auto columns) {
        if constexpr (!std::is_same_v<decltype(columns), std::int64_t>) {
            constexpr int N = static_cast<int>(columns.value);
            T small[detail::most_thin_steps][N];
            for (std::int64_t step = 0; step < k; ++step)
                for (std::int64_t j = 0; j < N; ++j) small[step][j] = *b.at(step, j);
            with_length(a.row_stride == k ? k : 0, [&](auto known_steps) {
                if constexpr (std::is_same_v<decltype(known_steps), std::int64_t>)
                    detail::multiply_rows_in_lanes<w, N, 0>(m, k, a, small, c);
                else detail::multiply_rows_in_lanes<w, N, static_cast<int>(known_steps.value)>(m, k, a, small, c);
            });
        }
    });
    return true;
}

} // namespace tx::inline TRACEXPR_TARGET::simd
