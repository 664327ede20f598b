#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace loops {

// The last five rows that were blurred along are kept.
template <class T> void blur(T* __restrict out, T const* __restrict x, size rows, size columns) {
    size const wide = columns - 4;
    std::vector<T> kept(static_cast<std::size_t>(5 * wide));
    T* const ring = kept.data();
    T const a = T(0.0625f), b = T(0.25f), c = T(0.375f);
    for (size i = 0; i < rows; ++i) {
        T const* const in = x + i * columns;
        T* __restrict const along = ring + i % 5 * wide;
        for (size j = 0; j < wide; ++j) along[j] = a * (in[j] + in[j + 4]) + b * (in[j + 1] + in[j + 3]) + c * in[j + 2];
        if (i < 4) continue;
        T const *const r0 = ring + (i + 1) % 5 * wide, *const r1 = ring + (i + 2) % 5 * wide,
                       *const r2 = ring + (i + 3) % 5 * wide, *const r3 = ring + (i + 4) % 5 * wide;
        T* __restrict const to = out + (i - 4) * wide;
        for (size j = 0; j < wide; ++j) to[j] = a * (r0[j] + along[j]) + b * (r1[j] + r3[j]) + c * r2[j];
    }
}

// Eight rows side by side, which don't wait for each other.
template <class T> void cumsum(T* __restrict out, T const* __restrict x, size rows, size columns) {
    constexpr size side = 8;
    size i = 0;
    for (; i + side <= rows; i += side) {
        T sums[side] = {};
        for (size j = 0; j < columns; ++j)
            for (size r = 0; r < side; ++r) out[(i + r) * columns + j] = sums[r] += x[(i + r) * columns + j];
    }
    for (; i < rows; ++i) {
        T sum = 0;
        for (size j = 0; j < columns; ++j) out[i * columns + j] = sum += x[i * columns + j];
    }
}

template <class T> void chain(T* __restrict out, T const* __restrict x, T const* __restrict y, size n) {
    for (size i = 0; i < n; ++i) {
        T h = x[i] * T(0.5f);
        for (int round = 0; round < 4; ++round) h = std::abs(std::max(h * y[i] + x[i], T(-0.5f)) - T(0.25f));
        out[i] = h - x[i];
    }
}

template <class T> void cosines(T* __restrict out, T const* __restrict a, T const* __restrict b, size n) {
    constexpr size d = 48;
    for (size i = 0; i < n; ++i) {
        T ab = 0, aa = 0, bb = 0;
        for (size j = 0; j < d; ++j) {
            T const p = a[i * d + j], q = b[i * d + j];
            ab += p * q, aa += p * p, bb += q * q;
        }
        out[i] = ab / (std::sqrt(aa) * std::sqrt(bb));
    }
}

template <class T> void stencil(T* __restrict out, T const* __restrict x, size n) {
    T const w0 = T(0.4f), w1 = T(0.05f), w2 = T(0.02f), w3 = T(0.0075f);
    size const m = n - 2;
    for (size i = 0; i < m; ++i)
        for (size j = 0; j < m; ++j) {
            T const* row[3][3];
            for (size p = 0; p < 3; ++p)
                for (size q = 0; q < 3; ++q) row[p][q] = x + ((i + p) * n + j + q) * n;
            T const *const middle = row[1][1], *const s0 = row[0][1], *const s1 = row[1][0], *const s2 = row[1][2],
                           *const s3 = row[2][1];
            T const *const c0 = row[0][0], *const c1 = row[0][2], *const c2 = row[2][0], *const c3 = row[2][2];
            T* __restrict const to = out + (i * m + j) * m;
            for (size k = 0; k < m; ++k) {
                T const faces = s0[k + 1] + s1[k + 1] + s2[k + 1] + s3[k + 1] + middle[k] + middle[k + 2];
                T const edges = c0[k + 1] + c1[k + 1] + c2[k + 1] + c3[k + 1] + s0[k] + s1[k] + s2[k] + s3[k] + s0[k + 2] +
                                s1[k + 2] + s2[k + 2] + s3[k + 2];
                T const corners = c0[k] + c1[k] + c2[k] + c3[k] + c0[k + 2] + c1[k + 2] + c2[k + 2] + c3[k + 2];
                to[k] = w0 * middle[k + 1] + w1 * faces + w2 * edges + w3 * corners;
            }
        }
}

template <class T> void laplace(T* __restrict out, T const* __restrict x, size rows, size columns) {
    for (size i = 1; i + 1 < rows; ++i) {
        T const *const here = x + i * columns, *const above = here - columns, *const below = here + columns;
        T* __restrict const to = out + (i - 1) * (columns - 2);
        for (size j = 1; j + 1 < columns; ++j) to[j - 1] = above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j];
    }
}

template <class T> void blend(std::uint8_t* __restrict out, std::uint8_t const* __restrict a, std::uint8_t const* __restrict b,
                              T const* __restrict mask, size n) {
    for (size i = 0; i < n; ++i) {
        T const mixed = T(a[i]) * mask[i] + T(b[i]) * (1 - mask[i]);
        out[i] = static_cast<std::uint8_t>(static_cast<int>(std::nearbyint(mixed)));
    }
}
// One mask for three colours: spread over a strip first, so that the rest runs along it.
template <class T> void blend_colours(std::uint8_t* __restrict out, std::uint8_t const* __restrict a,
                                      std::uint8_t const* __restrict b, T const* __restrict mask, size n) {
    constexpr size strip = 256;
    T spread[3 * strip];
    for (size i = 0; i < n; i += strip) {
        size const some = std::min(strip, n - i);
        for (size j = 0; j < some; ++j) spread[3 * j] = spread[3 * j + 1] = spread[3 * j + 2] = mask[i + j];
        blend(out + 3 * i, a + 3 * i, b + 3 * i, spread, 3 * some);
    }
}

void hash(std::uint32_t* __restrict out, std::uint32_t const* __restrict x, size n) {
    for (size i = 0; i < n; ++i) {
        std::uint32_t h = x[i];
        h = (h ^ (h >> 16)) * 0x7feb352du;
        h = (h ^ (h >> 15)) * 0x846ca68bu;
        h ^= h >> 16;
        h ^= h << 13;
        h = (h ^ (h >> 17)) * 0x9e3779b1u;
        out[i] = h ^ (h << 5);
    }
}

template <class T>
void complex_fma(T* __restrict out, std::complex<T> const* a, std::complex<T> const* b, std::complex<T> const* c, size n) {
    T const *const p = reinterpret_cast<T const*>(a), *const q = reinterpret_cast<T const*>(b),
                   *const r = reinterpret_cast<T const*>(c);
    for (size i = 0; i < n; ++i) {
        T const re = p[2 * i] * q[2 * i] - p[2 * i + 1] * q[2 * i + 1] + r[2 * i];
        T const im = p[2 * i] * q[2 * i + 1] + p[2 * i + 1] * q[2 * i] + r[2 * i + 1];
        out[i] = std::sqrt(re * re + im * im);
    }
}

template <class T> void cross_entropy(T* __restrict out, T const* __restrict logits, index const* label, size n) {
    constexpr size d = 10, lanes = 32;
    T total = 0;
    for (size i = 0; i < n; i += lanes) {
        T x[d][lanes], sums[lanes] = {}, most[lanes];
        size const some = std::min(lanes, n - i);
        for (size l = 0; l < lanes; ++l) {
            T const* const row = logits + (i + std::min(l, some - 1)) * d;
            for (size j = 0; j < d; ++j) x[j][l] = row[j];
        }
        for (size l = 0; l < lanes; ++l) most[l] = x[0][l];
        for (size j = 1; j < d; ++j)
            for (size l = 0; l < lanes; ++l) most[l] = std::max(most[l], x[j][l]);
        for (size j = 0; j < d; ++j)
            for (size l = 0; l < lanes; ++l) sums[l] += std::exp(x[j][l] - most[l]);
        for (size l = 0; l < lanes; ++l) sums[l] = std::log(sums[l]) + most[l];
        for (size l = 0; l < some; ++l) total += sums[l] - logits[(i + l) * d + label[i + l]];
    }
    *out = total / static_cast<T>(n);
}

#define INSTANCES(T)                                                                                                             \
    template void blur(T*, T const*, size, size);                                                                                \
    template void cumsum(T*, T const*, size, size);                                                                              \
    template void chain(T*, T const*, T const*, size);                                                                           \
    template void cosines(T*, T const*, T const*, size);                                                                         \
    template void stencil(T*, T const*, size);                                                                                   \
    template void laplace(T*, T const*, size, size);                                                                             \
    template void blend(std::uint8_t*, std::uint8_t const*, std::uint8_t const*, T const*, size);                                \
    template void blend_colours(std::uint8_t*, std::uint8_t const*, std::uint8_t const*, T const*, size);                        \
    template void complex_fma(T*, std::complex<T> const*, std::complex<T> const*, std::complex<T> const*, size);                 \
    template void cross_entropy(T*, T const*, index const*, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
