#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loops {

// Elimination with the largest pivot of each column.
template <class T> void solves(T* __restrict out, T const* __restrict a, T const* __restrict b, size n) {
    constexpr size d = 4;
    for (size i = 0; i < n; ++i) {
        T m[d][d + 1];
        for (size r = 0; r < d; ++r) {
            for (size c = 0; c < d; ++c) m[r][c] = a[(i * d + r) * d + c];
            m[r][d] = b[i * d + r];
        }
        for (size c = 0; c < d; ++c) {
            size pivot = c;
            for (size r = c + 1; r < d; ++r)
                if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
            if (pivot != c)
                for (size e = 0; e <= d; ++e) std::swap(m[pivot][e], m[c][e]);
            T const inverse = 1 / m[c][c];
            for (size r = c + 1; r < d; ++r) {
                T const f = m[r][c] * inverse;
                for (size e = c + 1; e <= d; ++e) m[r][e] -= f * m[c][e];
            }
        }
        for (size r = d; r-- > 0;) {
            T x = m[r][d];
            for (size c = r + 1; c < d; ++c) x -= m[r][c] * out[i * d + c];
            out[i * d + r] = x / m[r][r];
        }
    }
}

template <class T> void quadratic(T* __restrict out, T const* __restrict x, T const* __restrict a, size n) {
    constexpr size d = 8;
    for (size i = 0; i < n; ++i) {
        T sums[d] = {};
        for (size r = 0; r < d; ++r)
            for (size c = 0; c < d; ++c) sums[c] += x[i * d + r] * a[(i * d + r) * d + c];
        T total = 0;
        for (size c = 0; c < d; ++c) total += sums[c] * x[i * d + c];
        out[i] = total;
    }
}

template <class T> void jacobians(T* __restrict out, T const* __restrict all, size n) {
    for (size i = 0; i < n; ++i) {
        T const* const p = all + 15 * i;
        T const *const t = p + 9, *const point = p + 12;
        T seen[3];
        for (size r = 0; r < 3; ++r) seen[r] = p[3 * r] * point[0] + p[3 * r + 1] * point[1] + p[3 * r + 2] * point[2] + t[r];
        T const inverse = 1 / seen[2], u = seen[0] * inverse, v = seen[1] * inverse;
        T const squared = u * u + v * v;
        T const factor = 1 + T(0.1f) * squared + T(0.01f) * squared * squared;
        T const slope = 2 * (T(0.1f) + 2 * T(0.01f) * squared);
        T const by_flat[2][2] = {{factor + slope * u * u, slope * u * v}, {slope * u * v, factor + slope * v * v}};
        for (size r = 0; r < 2; ++r) {
            T const by_seen[3] = {by_flat[r][0] * inverse, by_flat[r][1] * inverse,
                                  -(by_flat[r][0] * u + by_flat[r][1] * v) * inverse};
            T* const row = out + (2 * i + r) * 15;
            for (size s = 0; s < 3; ++s)
                for (size c = 0; c < 3; ++c) row[3 * s + c] = by_seen[s] * point[c];
            for (size s = 0; s < 3; ++s) row[9 + s] = by_seen[s];
            for (size c = 0; c < 3; ++c) row[12 + c] = by_seen[0] * p[c] + by_seen[1] * p[3 + c] + by_seen[2] * p[6 + c];
        }
    }
}

#define INSTANCES(T)                                                                                                             \
    template void solves(T*, T const*, T const*, size);                                                                          \
    template void quadratic(T*, T const*, T const*, size);                                                                       \
    template void jacobians(T*, T const*, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
