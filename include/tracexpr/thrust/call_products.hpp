// This file describes products of matrices, and holds a kernel for any dtype and strides. The products by cuBLAS are in
// call_cublas.hpp.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/thrust/call_moves.hpp>
#include <tracexpr/thrust/call_numbers.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// (m, k) x (k, n) -> (m, n), for each point of the batches' axes. Strides are in elements; results are contiguous, in row-major
// order.
struct product_shape {
    std::int64_t m = 1, n = 1, k = 1;
    std::int64_t a_row = 0, a_column = 0, b_row = 0, b_column = 0;
    std::int64_t batches = 1;
    point_axes a_batches, b_batches; // both have the same points; an operand that is broadcast along an axis has step 0 there

    std::int64_t size() const { return batches * m * n; }
};

inline product_shape product_of(simd::call_operand const& a, simd::call_operand const& b, dims const& extents) {
    product_shape out;
    int const batch_rank = extents.rank - 2;
    out.m = extents[batch_rank], out.n = extents[batch_rank + 1], out.k = a.extents[a.extents.rank - 1];
    for (int axis = 0; axis < batch_rank; ++axis) out.batches *= extents[axis];
    if (out.k == 0) { // sums of no elements: operands may be null, so all steps stay 0
        out.m *= out.batches, out.batches = 1;
        return out;
    }
    out.a_row = a.strides[a.extents.rank - 2], out.a_column = a.strides[a.extents.rank - 1];
    out.b_row = b.strides[b.extents.rank - 2], out.b_column = b.strides[b.extents.rank - 1];
    if (simd::detail::is_one_product(a, b, extents)) {
        out.m *= out.batches, out.batches = 1;
        return out;
    }
    auto const step = [&](simd::call_operand const& o, int axis) {
        int const own = axis - (extents.rank - o.extents.rank);
        return own >= 0 && o.extents[own] != 1 ? o.strides[own] : 0;
    };
    for (int axis = 0; axis < batch_rank; ++axis) {
        out.a_batches.push_back(extents[axis], step(a, axis));
        out.b_batches.push_back(extents[axis], step(b, axis));
    }
    return out;
}

// The type in which products of elements are summed: float for 16-bit floats.
template <class T> struct product_sum {
    using type = T;
};
template <> struct product_sum<half> {
    using type = float;
};
template <> struct product_sum<bfloat16> {
    using type = float;
};
template <class Sum, class T> TRACEXPR_HD constexpr Sum as_factor(T const& x) {
    if constexpr (std::is_same_v<Sum, T>) return x;
    else return x.value();
}

// Computes a tile of the result: Rows rows of Columns adjacent elements.
template <int Rows, int Columns, class T> struct multiply_tile {
    product_shape shape;
    T const *a, *b;
    T* out;

    std::int64_t tiles() const { return shape.batches * ((shape.m + Rows - 1) / Rows) * ((shape.n + Columns - 1) / Columns); }
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t tile) const {
        using Sum = typename product_sum<T>::type;
        std::int64_t const j = divide(tile, (shape.n + Columns - 1) / Columns) * Columns;
        std::int64_t const i = divide(tile, (shape.m + Rows - 1) / Rows) * Rows;
        T const *const first_row = a + shape.a_batches.offset(tile), *const first_column = b + shape.b_batches.offset(tile);
        T const* left[Rows];
        T const* right[Columns];
        for (int r = 0; r < Rows; ++r) // beyond the edge the last row is read again, and its results are dropped
            left[r] = first_row + (i + r < shape.m ? i + r : shape.m - 1) * shape.a_row;
        for (int c = 0; c < Columns; ++c) right[c] = first_column + (j + c < shape.n ? j + c : shape.n - 1) * shape.b_column;
        Sum sum[Rows][Columns]{};
        for (std::int64_t k = 0; k < shape.k; ++k) {
            Sum x[Rows], y[Columns];
            for (int r = 0; r < Rows; ++r) x[r] = as_factor<Sum>(left[r][k * shape.a_column]);
            for (int c = 0; c < Columns; ++c) y[c] = as_factor<Sum>(right[c][k * shape.b_row]);
            for (int r = 0; r < Rows; ++r)
                for (int c = 0; c < Columns; ++c) sum[r][c] = plus{}(sum[r][c], times{}(x[r], y[c]));
        }
        T* const to = out + (tile * shape.m + i) * shape.n + j;
        for (int r = 0; r < Rows && i + r < shape.m; ++r)
            for (int c = 0; c < Columns && j + c < shape.n; ++c) to[r * shape.n + c] = static_cast<T>(sum[r][c]);
    }
};

// For results of few elements, each a sum of many products: for each element and each piece of the sum a thread adds `each`
// products.
template <class T> struct multiply_piece {
    using Sum = typename product_sum<T>::type;
    product_shape shape;
    std::int64_t each;
    T const *a, *b;
    Sum* sums; // (pieces, elements)
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t number) const {
        Sum& to = sums[number];
        std::int64_t batch = divide(number, shape.batches * shape.m * shape.n);
        std::int64_t const j = divide(batch, shape.n), i = divide(batch, shape.m), first = number * each;
        T const* const left = a + shape.a_batches.offset(batch) + i * shape.a_row;
        T const* const right = b + shape.b_batches.offset(batch) + j * shape.b_column;
        Sum sum{};
        for (std::int64_t k = first; k < first + each && k < shape.k; ++k)
            sum = plus{}(sum, times{}(as_factor<Sum>(left[k * shape.a_column]), as_factor<Sum>(right[k * shape.b_row])));
        to = sum;
    }
};
template <class T> struct add_pieces {
    using Sum = typename product_sum<T>::type;
    std::int64_t elements, pieces;
    Sum const* sums;
    T* out;
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t i) const {
        Sum sum = sums[i];
        for (std::int64_t piece = 1; piece < pieces; ++piece) sum = plus{}(sum, sums[piece * elements + i]);
        out[i] = static_cast<T>(sum);
    }
};
template <class T>
void multiply_by_pieces(device_queue& queue, product_shape const& shape, T const* a, T const* b, T* out, std::int64_t each) {
    using Sum = typename product_sum<T>::type;
    std::int64_t const elements = shape.size(), pieces = (shape.k + each - 1) / each;
    device_block const memory(queue, elements * pieces * static_cast<std::int64_t>(sizeof(Sum)));
    Sum* const sums = reinterpret_cast<Sum*>(memory.data());
    for_each_index(queue, elements * pieces, multiply_piece<T>{shape, each, a, b, sums});
    for_each_index(queue, elements, add_pieces<T>{elements, pieces, sums, out});
}

// Large tiles read less memory; small tiles make more threads, and pieces of sums still more.
template <class T> void multiply_by_tiles(device_queue& queue, product_shape const& shape, T const* a, T const* b, T* out) {
    if (shape.size() == 0) return;
    constexpr std::int64_t enough = 1 << 14, least = 64;
    if (shape.size() < enough / 4 && shape.k >= 8 * least) {
        std::int64_t const pieces = std::min(shape.k / least, enough / shape.size());
        return multiply_by_pieces(queue, shape, a, b, out, (shape.k + pieces - 1) / pieces);
    }
    multiply_tile<4, 4, T> const large{shape, a, b, out};
    multiply_tile<1, 1, T> const small{shape, a, b, out};
    if (large.tiles() >= enough && shape.m > 1 && shape.n > 1) for_each_index(queue, large.tiles(), large);
    else for_each_index(queue, small.tiles(), small);
}

// Computes a block of rows by the CPU's kernels, on Thrust's host systems.
template <class T> struct multiply_rows_on_host {
    static constexpr std::int64_t rows = 64;
    product_shape shape;
    T const *a, *b;
    T* out;

    std::int64_t blocks() const { return (shape.m + rows - 1) / rows; }
    void operator()(std::int64_t number) const {
        std::int64_t const i = divide(number, blocks()) * rows, count = shape.m - i < rows ? shape.m - i : rows;
        simd::gemm<T, simd::default_arch>(count, shape.n, shape.k, a + shape.a_batches.offset(number) + i * shape.a_row,
                                          shape.a_row, shape.a_column, b + shape.b_batches.offset(number), shape.b_row,
                                          shape.b_column, out + (number * shape.m + i) * shape.n, shape.n);
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
