// Filters, as careful loops: taps in order, results of a row in the innermost loop, for a piece that stays in the first cache.
#include "loops.hpp"

#include <algorithm>

namespace loops {

template <class T> void fir(T* __restrict out, T const* __restrict x, T const* __restrict w, size n, size taps) {
    constexpr size piece = 2048;
    for (size begin = 0; begin < n; begin += piece) {
        size const end = std::min(n, begin + piece);
        std::fill(out + begin, out + end, T(0));
        size k = 0;
        for (; k + 4 <= taps; k += 4)
            for (size i = begin; i < end; ++i)
                out[i] += x[i + k] * w[k] + x[i + k + 1] * w[k + 1] + x[i + k + 2] * w[k + 2] + x[i + k + 3] * w[k + 3];
        for (; k < taps; ++k)
            for (size i = begin; i < end; ++i) out[i] += x[i + k] * w[k];
    }
}

// (n + 4, n + 4, 32), a filter of 5 x 5 for each channel.
template <class T> void depthwise(T* __restrict out, T const* __restrict x, T const* __restrict w, size n) {
    constexpr size channels = 32;
    for (size i = 0; i < n; ++i)
        for (size j = 0; j < n; ++j) {
            T sum[channels]{};
            for (size a = 0; a < 5; ++a)
                for (size b = 0; b < 5; ++b) {
                    T const* const from = x + ((i + a) * (n + 4) + j + b) * channels;
                    for (size c = 0; c < channels; ++c) sum[c] += from[c] * w[(a * 5 + b) * channels + c];
                }
            std::copy_n(sum, channels, out + (i * n + j) * channels);
        }
}

// (in, n + 2, n + 2), (out, in, 3, 3): four results of a row side by side.
template <class T>
void convolution(T* __restrict out, T const* __restrict x, T const* __restrict w, size n, size channels, size filters) {
    for (size o = 0; o < filters; o += 4)
        for (size i = 0; i < n; ++i) {
            T* const row[]{out + (o * n + i) * n, out + ((o + 1) * n + i) * n, out + ((o + 2) * n + i) * n,
                           out + ((o + 3) * n + i) * n};
            for (T* const r : row) std::fill(r, r + n, T(0));
            for (size c = 0; c < channels; ++c)
                for (size a = 0; a < 3; ++a) {
                    T const* const from = x + (c * (n + 2) + i + a) * (n + 2);
                    T v[4][3];
                    for (size k = 0; k < 4; ++k)
                        for (size b = 0; b < 3; ++b) v[k][b] = w[(((o + k) * channels + c) * 3 + a) * 3 + b];
                    T* __restrict r0 = row[0], * __restrict r1 = row[1], * __restrict r2 = row[2], * __restrict r3 = row[3];
                    for (size j = 0; j < n; ++j) {
                        T const p = from[j], q = from[j + 1], s = from[j + 2];
                        r0[j] += p * v[0][0] + q * v[0][1] + s * v[0][2];
                        r1[j] += p * v[1][0] + q * v[1][1] + s * v[1][2];
                        r2[j] += p * v[2][0] + q * v[2][1] + s * v[2][2];
                        r3[j] += p * v[3][0] + q * v[3][1] + s * v[3][2];
                    }
                }
        }
}

// The mean of 5 x 5 elements.
template <class T> void box(T* __restrict out, T const* __restrict x, size n) {
    size const m = n - 4;
    for (size i = 0; i < m; ++i)
        for (size j = 0; j < m; ++j) {
            T sum = 0;
            for (size a = 0; a < 5; ++a)
                for (size b = 0; b < 5; ++b) sum += x[(i + a) * n + j + b];
            out[i * m + j] = sum * T(0.04);
        }
}

// c[i, j] = min over k of a[i, k] + b[k, j].
template <class T> void min_plus(T* __restrict out, T const* __restrict a, T const* __restrict b, size n) {
    for (size i = 0; i < n; ++i) {
        T* const row = out + i * n;
        for (size j = 0; j < n; ++j) row[j] = a[i * n] + b[j];
        for (size k = 1; k < n; ++k) {
            T const left = a[i * n + k];
            for (size j = 0; j < n; ++j) row[j] = std::min(row[j], left + b[k * n + j]);
        }
    }
}

#define INSTANCES(T)                                                                                                             \
    template void fir(T*, T const*, T const*, size, size);                                                                       \
    template void depthwise(T*, T const*, T const*, size);                                                                       \
    template void convolution(T*, T const*, T const*, size, size, size);                                                         \
    template void box(T*, T const*, size);                                                                                       \
    template void min_plus(T*, T const*, T const*, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
