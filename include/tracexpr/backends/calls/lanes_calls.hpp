// This file runs the ops on square matrices for batches of small ones, with one example in each vector lane.
#pragma once

#include <tracexpr/backends/calls/decomposition_calls.hpp>
#include <tracexpr/backends/calls/lanes_linalg.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::matrices_in, tx::detail::refuse_singular, tx::detail::refuse_zeros_in_triangle, tx::detail::throw_not_definite,
    tx::detail::triangle_in;

inline constexpr std::int64_t most_in_lanes = 16; // The greatest number of rows, and of columns of right sides.

// operand_of_examples is an operand, which says which of its matrices belongs to which example of the result.
template <class T> struct operand_of_examples {
    matrix_batch<T> matrices;
    dims const& result;
    // The extents broadcast, so an equal number of matrices means that they correspond one to one.
    bool is_one_each = matrices_in(matrices.shape) == matrices_in(result);

    std::int64_t number_of(std::int64_t example) const { return is_one_each ? example : matrices.number_of(example, result); }
    T const* operator()(std::int64_t example) const {
        return matrices.data + number_of(example) * matrices.rows() * matrices.columns();
    }
};

// Processes a batch in blocks of W examples. Lanes of the last block that have no example repeat the last one, and their results
// are discarded.
template <class T, int W> struct example_blocks {
    static constexpr std::int64_t most_elements = most_in_lanes * most_in_lanes;
    using word = signed_of_size<sizeof(T)>;
    using matrix = examples<T, W>;

    std::int64_t first = 0, count = 0, used = 0;
    alignas(64) T elements[most_elements * W];
    alignas(64) T others[most_elements * W];
    alignas(64) T discarded[most_elements];

    template <class F> TRACEXPR_INLINE void for_each(F block) {
        for (first = 0; first < count; first += W) {
            used = std::min<std::int64_t>(W, count - first);
            block();
        }
    }
    // Calls f(number of an example, its lane).
    template <class F> TRACEXPR_INLINE void for_each_lane(F f) const {
        for (std::int64_t lane = 0; lane < used; ++lane) f(first + lane, lane);
    }
    // Reads the arrays that at(number of an example) returns into lanes.
    template <class At> TRACEXPR_INLINE void read(std::int64_t size, T* to, At at) const {
        T const* from[W];
        for (std::int64_t lane = 0; lane < W; ++lane) from[lane] = at(first + std::min(lane, used - 1));
        to_lanes<W>(0, size, from, to);
        fetch_next<0>(size, at);
    }
    template <class At> TRACEXPR_INLINE void write(std::int64_t size, T const* from, At at) {
        T* to[W];
        for (std::int64_t lane = 0; lane < W; ++lane) to[lane] = lane < used ? at(first + lane) : discarded;
        from_lanes<W>(0, size, from, to);
        fetch_next<1>(size, at);
    }
    // Prefetches what the next block needs, while this one is computed.
    template <int Written, class At> TRACEXPR_INLINE void fetch_next(std::int64_t size, At at) const {
        for (std::int64_t next = first + W, last = std::min(next + W, count); next < last; ++next)
            fetch_elements<Written>(at(next), size);
    }
};

template <class Side, class T, int W> void lu_blocks(Side n, example_blocks<T, W>& blocks, T const* a, decomposed<T> const& out) {
    using word = typename example_blocks<T, W>::word;
    alignas(64) word places[most_in_lanes * W];
    alignas(64) T signs[most_in_lanes * W];
    blocks.for_each([&] {
        blocks.read(n * n, blocks.elements, [&](std::int64_t example) { return a + example * n * n; });
        auto const failed = lu_lanes<Side, T, W>(n, {blocks.elements, n}, places, signs);
        blocks.write(n * n, blocks.elements, [&](std::int64_t example) { return out.matrices + example * n * n; });
        blocks.write(n, signs, [&](std::int64_t example) { return out.numbers + example * n; });
        blocks.for_each_lane([&](std::int64_t example, std::int64_t lane) {
            for (std::int64_t i = 0; i < n; ++i) out.places[example * n + i] = places[i * W + lane];
        });
        if (!any_lane(failed)) return;
        blocks.for_each_lane([&](std::int64_t example, std::int64_t lane) {
            if (!failed[lane]) return;
            std::copy_n(a + example * n * n, n * n, out.matrices + example * n * n);
            plain::lu<T>(n, out.matrices + example * n * n, out.places + example * n, out.numbers + example * n);
        });
    });
}

template <class Arch, class Side, class T, int W>
void cholesky_blocks(Side n, example_blocks<T, W>& blocks, matrix_batch<T> const& a, T* out) {
    blocks.for_each([&] {
        blocks.read(n * n, blocks.elements, [&](std::int64_t example) { return a.data + example * n * n; });
        auto const failed = cholesky_lanes<Arch, Side, T, W>(n, {blocks.elements, n});
        if (any_lane(failed))
            blocks.for_each_lane([&](std::int64_t example, std::int64_t lane) {
                if (failed[lane]) throw_not_definite(example, a.shape);
            });
        blocks.write(n * n, blocks.elements, [&](std::int64_t example) { return out + example * n * n; });
    });
}

template <class Side, class T, int W> void solve_triangular_blocks(Side n, example_blocks<T, W>& blocks, matrix_batch<T> const& a,
                                                                   matrix_batch<T> const& b, T* out, dims const& extents,
                                                                   triangle form) {
    std::int64_t const k = b.columns();
    operand_of_examples<T> const left{a, extents}, right{b, extents};
    blocks.for_each([&] {
        blocks.read(n * n, blocks.elements, left);
        blocks.read(n * k, blocks.others, right);
        solve_triangular_lanes<Side, std::int64_t, T, W>(n, k, {blocks.elements, n}, form, {blocks.others, k});
        blocks.write(n * k, blocks.others, [&](std::int64_t example) { return out + example * n * k; });
    });
}

// Solves with the factors as `solve` in decomposition_calls.hpp does.
template <class Side, class Columns, class T, int W>
void solve_blocks(Side n, Columns k, example_blocks<T, W>& blocks, matrix_batch<T> const& factors, std::int64_t const* places,
                  matrix_batch<T> const& b, T* out, dims const& extents, bool transposed) {
    operand_of_examples<T> const left{factors, extents}, right{b, extents};
    auto const rows_of = [&](std::int64_t example) { return places + left.number_of(example) * n; };
    blocks.for_each([&] {
        examples<T, W> const lu{blocks.elements, n}, x{blocks.others, k};
        blocks.read(n * n, blocks.elements, left);
        if (transposed) {
            blocks.read(n * k, blocks.others, right);
            solve_triangular_lanes<Side, Columns, T, W>(n, k, lu, {false, true, false}, x);
            solve_triangular_lanes<Side, Columns, T, W>(n, k, lu, {true, true, true}, x);
            blocks.for_each_lane([&](std::int64_t example, std::int64_t lane) {
                std::int64_t const* const row = rows_of(example);
                for (std::int64_t i = 0; i < n; ++i)
                    for (std::int64_t j = 0; j < k; ++j) out[(example * n + row[i]) * k + j] = x.at(i, j)[lane];
            });
            return;
        }
        for (std::int64_t lane = 0; lane < W; ++lane) {
            std::int64_t const example = blocks.first + std::min(lane, blocks.used - 1);
            std::int64_t const* const row = rows_of(example);
            T const* const from = right(example);
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < k; ++j) x.at(i, j)[lane] = from[row[i] * k + j];
        }
        solve_triangular_lanes<Side, Columns, T, W>(n, k, lu, {true, false, true}, x);
        solve_triangular_lanes<Side, Columns, T, W>(n, k, lu, {false, false, false}, x);
        blocks.write(n * k, blocks.others, [&](std::int64_t example) { return out + example * n * k; });
    });
}

// Does what `decompose` does for batches of matrices so small that loops on one of them are mostly overhead. Returns false,
// having done nothing, for others. HasSides adds code of its own for matrices of 2 to 4 rows.
template <op Code, bool HasSides, class Arch, class T>
bool decompose_in_lanes(table_view<matrix_batch<T>> operands, std::int64_t const* places, decomposed<T> out, dims const& extents,
                        table_view<std::int64_t> attributes) {
    constexpr bool solves = Code == op::solve || Code == op::solve_triangular;
    if constexpr (!solves && Code != op::lu && Code != op::cholesky) return false;
    constexpr int w = moving_lanes<T, Arch>;
    matrix_batch<T> const& a = operands[0];
    std::int64_t const n = a.rows(), k = solves ? operands[1].columns() : 1, count = matrices_in(extents);
    if (n < 1 || n > most_in_lanes || k < 1 || k > most_in_lanes || count < w / 2) return false;
    if constexpr (Code == op::solve) refuse_singular(operands[2]);
    if constexpr (Code == op::solve_triangular) refuse_zeros_in_triangle(a, triangle_in(attributes));
    example_blocks<T, w> blocks;
    blocks.count = count;
    auto const with_side = [&](auto side) {
        using one = std::integral_constant<std::int64_t, 1>;
        if constexpr (Code == op::lu) {
            lu_blocks(side, blocks, a.data, out);
        } else if constexpr (Code == op::cholesky) {
            cholesky_blocks<Arch>(side, blocks, a, out.matrices);
        } else if constexpr (Code == op::solve_triangular) {
            solve_triangular_blocks(side, blocks, a, operands[1], out.matrices, extents, triangle_in(attributes));
        } else if constexpr (Code == op::solve) {
            bool const transposed = attributes[0] != 0;
            if (k == 1) solve_blocks(side, one{}, blocks, operands[2], places, operands[1], out.matrices, extents, transposed);
            else solve_blocks(side, k, blocks, operands[2], places, operands[1], out.matrices, extents, transposed);
        }
    };
    if constexpr (!HasSides) with_side(n);
    else if (n == 2) with_side(std::integral_constant<std::int64_t, 2>{});
    else if (n == 3) with_side(std::integral_constant<std::int64_t, 3>{});
    else if (n == 4) with_side(std::integral_constant<std::int64_t, 4>{});
    else with_side(n);
    return true;
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
