// This file multiplies batches of matrices: as one product if the rows of the whole batch are evenly spaced, as one product for
// each example, or, if the matrices are small, with one example in each lane.
#pragma once

#include <tracexpr/backends/calls/operands.hpp>
#include <tracexpr/backends/contractions/matmul.hpp>
#include <tracexpr/backends/loops/transpose.hpp>

#include <algorithm>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Finds the matrix of an operand for each matrix of the result. Leading axes broadcast.
template <class T> class matrices_of {
public:
    matrices_of(call_operand const& o, dims const& result)
        // An operand without elements has no addresses.
        : operand_{o}, result_{result}, batch_rank_{o.extents.size() ? result.rank - 2 : 0} {
        std::int64_t span = 1;
        for (int axis = batch_rank_ - 1; axis >= 0; span *= result[axis--]) {
            if (result[axis] == 1) continue;
            if (span == 1) step_ = step_along(axis);
            else is_even_ = is_even_ && step_along(axis) == step_ * span;
        }
    }
    TRACEXPR_INLINE T const* operator()(std::int64_t batch) const {
        return elements<T>(operand_) + (is_even_ ? batch * step_ : place(batch));
    }
    bool is_same() const { return is_even_ && step_ == 0; }
    std::int64_t rows() const { return operand_.extents[operand_.extents.rank - 2]; }
    std::int64_t columns() const { return operand_.extents[operand_.extents.rank - 1]; }
    std::int64_t row_stride() const { return operand_.strides[operand_.extents.rank - 2]; }
    std::int64_t column_stride() const { return operand_.strides[operand_.extents.rank - 1]; }
    // True if a matrix is stored without gaps, by rows or by columns.
    bool is_dense() const {
        std::int64_t const m = rows(), n = columns(), down = row_stride(), along = column_stride();
        return ((n == 1 || along == 1) && (m == 1 || down == n)) || ((m == 1 || down == 1) && (n == 1 || along == m));
    }

private:
    std::int64_t step_along(int axis) const {
        int const own = axis - (result_.rank - operand_.extents.rank);
        return own >= 0 && operand_.extents[own] != 1 ? operand_.strides[own] : 0;
    }
    std::int64_t place(std::int64_t batch) const {
        std::int64_t at = 0;
        for (int axis = batch_rank_ - 1; axis >= 0; batch /= result_[axis--]) at += batch % result_[axis] * step_along(axis);
        return at;
    }

    call_operand const& operand_;
    dims const& result_;
    int batch_rank_;
    std::int64_t step_ = 0; // The step from one example to the next, if it is always the same.
    bool is_even_ = true;
};

// Matrices in lanes have at most so many rows and columns, and so many multiplications; larger ones have enough work for vectors
// of their own.
inline constexpr std::int64_t most_in_products = 8, most_multiplied = 256;

// to(i, j) = sum over k of left(i, k) right(k, j), where the elements are vectors of W lanes and strides count elements. It
// computes two columns at a time.
template <int W, class T> TRACEXPR_INLINE void multiply_lanes(std::int64_t m, std::int64_t n, std::int64_t k,
                                                              strided_matrix<T> left, strided_matrix<T> right, T* to) {
    TRACEXPR_FUSES
    for (std::int64_t i = 0; i < m; ++i) {
        std::int64_t j = 0;
        for (; j + 2 <= n; j += 2, to += 2 * W) {
            T const *x = left.at(i, 0), *y = right.at(0, j);
            lanes<T, W> first{}, second{};
            for (std::int64_t step = 0; step < k; ++step, x += left.column_stride, y += right.row_stride) {
                auto const common = load<W>(x);
                first = common * load<W>(y) + first;
                second = common * load<W>(y + right.column_stride) + second;
            }
            store<W>(to, first), store<W>(to + W, second);
        }
        if (j == n) continue;
        T const *x = left.at(i, 0), *y = right.at(0, j);
        lanes<T, W> sum{};
        for (std::int64_t step = 0; step < k; ++step, x += left.column_stride, y += right.row_stride)
            sum = load<W>(x) * load<W>(y) + sum;
        store<W>(to, sum), to += W;
    }
}

// Multiplies the matrices of W examples at a time, in lanes; the last block repeats some examples.
template <int W, class T> void multiply_examples(std::int64_t count, matrices_of<T> const& a, matrices_of<T> const& b, T* out) {
    constexpr std::int64_t most = most_in_products * most_in_products;
    alignas(64) T left[most * W], right[most * W], product[most * W];
    std::int64_t const m = a.rows(), k = a.columns(), n = b.columns();
    auto const read = [&](std::int64_t first, matrices_of<T> const& from, std::int64_t size, T* to) {
        if (first > 0 && from.is_same()) return;
        T const* arrays[W];
        for (std::int64_t lane = 0; lane < W; ++lane) arrays[lane] = from(first + lane);
        to_lanes<W>(0, size, arrays, to);
        for (std::int64_t next = first + W, last = std::min(next + W, count); next < last; ++next)
            fetch_elements<0>(from(next), size);
    };
    for (std::int64_t done = 0; done < count; done += W) {
        std::int64_t const first = std::min(done, count - W);
        read(first, a, m * k, left);
        read(first, b, k * n, right);
        multiply_lanes<W, T>(m, n, k, {left, a.row_stride() * W, a.column_stride() * W},
                             {right, b.row_stride() * W, b.column_stride() * W}, product);
        T* to[W];
        for (std::int64_t lane = 0; lane < W; ++lane) to[lane] = out + (first + lane) * m * n;
        from_lanes<W>(0, m * n, product, to);
        for (std::int64_t next = done + W, last = std::min(next + W, count); next < last; ++next)
            fetch_elements<1>(out + next * m * n, m * n);
    }
}

// True if all rows of a, in the whole batch, are evenly spaced, and b is the same for each example: (..., m, k) x (k, n) is then
// one product.
inline bool is_one_product(call_operand const& a, call_operand const& b, dims const& extents) {
    if (a.extents.rank != extents.rank) return false;
    for (int axis = 0; axis < extents.rank - 2; ++axis)
        if (a.extents[axis] != extents[axis] || a.strides[axis] != a.strides[axis + 1] * a.extents[axis + 1]) return false;
    for (int axis = 0; axis < b.extents.rank - 2; ++axis)
        if (b.extents[axis] != 1) return false;
    return true;
}

// Multiplies a batch of matrices, whose leading axes broadcast.
template <class Arch, class T> void matmul(call_operand const& a, call_operand const& b, T* out, dims const& extents) {
    matrices_of<T> const left(a, extents), right(b, extents);
    std::int64_t const m = left.rows(), k = left.columns(), n = right.columns();
    std::int64_t count = 1;
    for (int axis = 0; axis < extents.rank - 2; ++axis) count *= extents[axis];
    auto const multiply = [&](std::int64_t rows, std::int64_t batch) {
        gemm<T, Arch>(rows, n, k, left(batch), left.row_stride(), left.column_stride(), right(batch), right.row_stride(),
                      right.column_stride(), out + batch * m * n, n);
    };
    if (is_one_product(a, b, extents)) return multiply(count * m, 0);
    if constexpr (is_vectorizable<T> && sizeof(T) >= 4) {
        constexpr int w = moving_lanes<T, Arch>;
        auto const is_small = [](std::int64_t extent) { return extent > 0 && extent <= most_in_products; };
        if (count >= w && is_small(m) && is_small(k) && is_small(n) && m * n * k < most_multiplied && left.is_dense() &&
            right.is_dense()) {
            using U = simd::wrapping<T>; // namespace detail has functions of that name
            return multiply_examples<w>(count, matrices_of<U>(a, extents), matrices_of<U>(b, extents), reinterpret_cast<U*>(out));
        }
    }
    for (std::int64_t batch = 0; batch < count; ++batch) multiply(m, batch);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
