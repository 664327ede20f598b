#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace loops {
namespace {

constexpr size d = 64;

// out (rows x columns) += a (rows x inner, rows `step` apart, or transposed: columns) * b (inner x columns): four rows at a time,
// columns in strips that stay in registers.
template <bool Transposed, class T> void multiply_add(T* __restrict out, size out_step, T const* __restrict a, size a_step,
                                                      T const* __restrict b, size b_step, size rows, size inner, size columns) {
    constexpr size strip = 256 / sizeof(T), high = 4;
    for (size j = 0; j < columns; j += strip)
        for (size i = 0; i < rows; i += high) {
            T sums[high][strip];
            for (size r = 0; r < high; ++r)
                for (size l = 0; l < strip; ++l) sums[r][l] = out[(i + r) * out_step + j + l];
            for (size k = 0; k < inner; ++k)
                for (size r = 0; r < high; ++r) {
                    T const factor = Transposed ? a[k * a_step + i + r] : a[(i + r) * a_step + k];
                    for (size l = 0; l < strip; ++l) sums[r][l] += factor * b[k * b_step + j + l];
                }
            for (size r = 0; r < high; ++r)
                for (size l = 0; l < strip; ++l) out[(i + r) * out_step + j + l] = sums[r][l];
        }
}
template <class T> void transpose(T* __restrict out, T const* __restrict x, size rows, size columns) {
    for (size i = 0; i < rows; i += 16)
        for (size j = 0; j < columns; ++j)
            for (size r = i; r < i + 16; ++r) out[j * rows + r] = x[r * columns + j];
}
template <class T> std::vector<T> room(size n) { return std::vector<T>(static_cast<std::size_t>(n)); }

// The softmax of rows of q k^T / 8.
template <class T> void weights(T* p, T const* q, T const* turned, size rows, size n) {
    std::fill(p, p + rows * n, T(0));
    multiply_add<false>(p, n, q, d, turned, n, rows, d, n);
    for (size i = 0; i < rows; ++i) {
        T* const row = p + i * n;
        T most = row[0], sum = 0;
        for (size j = 0; j < n; ++j) most = std::max(most, row[j]);
        for (size j = 0; j < n; ++j) sum += row[j] = std::exp((row[j] - most) * T(0.125f));
        T const inverse = 1 / sum;
        for (size j = 0; j < n; ++j) row[j] *= inverse;
    }
}
constexpr size block = 32; // rows whose scores stay in the second cache

} // namespace

template <class T> void attention(T* out, T const* q, T const* k, T const* v, size heads, size n) {
    auto turned = room<T>(n * d), p = room<T>(block * n);
    std::fill(out, out + heads * n * d, T(0));
    for (size h = 0; h < heads; ++h) {
        size const at = h * n * d;
        transpose(turned.data(), k + at, n, d);
        for (size i = 0; i < n; i += block) {
            weights(p.data(), q + at + i * d, turned.data(), block, n);
            multiply_add<false>(out + at + i * d, d, p.data(), n, v + at, d, block, n, d);
        }
    }
}

// Of sum(attention * w).
template <class T>
void attention_gradient(T* value, T* dq, T* dk, T* dv, T const* q, T const* k, T const* v, T const* w, size heads, size n) {
    auto k_turned = room<T>(n * d), v_turned = room<T>(n * d), p = room<T>(block * n), dp = room<T>(block * n);
    for (T* const to : {dq, dk, dv}) std::fill(to, to + heads * n * d, T(0));
    T loss = 0;
    for (size h = 0; h < heads; ++h) {
        size const at = h * n * d;
        transpose(k_turned.data(), k + at, n, d), transpose(v_turned.data(), v + at, n, d);
        for (size i = 0; i < n; i += block) {
            size const here = at + i * d;
            weights(p.data(), q + here, k_turned.data(), block, n);
            multiply_add<true>(dv + at, d, p.data(), n, w + here, d, n, block, d);
            std::fill(dp.begin(), dp.end(), T(0));
            multiply_add<false>(dp.data(), n, w + here, d, v_turned.data(), n, block, d, n);
            for (size r = 0; r < block; ++r) {
                T *const row = p.data() + r * n, *const drow = dp.data() + r * n;
                T sum = 0;
                for (size j = 0; j < n; ++j) sum += row[j] * drow[j];
                loss += sum;
                for (size j = 0; j < n; ++j) drow[j] = (drow[j] - sum) * row[j] * T(0.125f);
            }
            multiply_add<false>(dq + here, d, dp.data(), n, k + at, d, block, n, d);
            multiply_add<true>(dk + at, d, dp.data(), n, q + here, d, n, block, d);
        }
    }
    *value = loss;
}

#define INSTANCES(T)                                                                                                             \
    template void attention(T*, T const*, T const*, T const*, size, size);                                                       \
    template void attention_gradient(T*, T*, T*, T*, T const*, T const*, T const*, T const*, size, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
