#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace loops {

template <class T> void nbody(T* ax, T* ay, T* az, T const* x, T const* y, T const* z, T const* m, size n) {
    for (size i = 0; i < n; ++i) {
        T const xi = x[i], yi = y[i], zi = z[i];
        T sx = 0, sy = 0, sz = 0;
        for (size j = 0; j < n; ++j) {
            T const dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
            T const squared = dx * dx + dy * dy + dz * dz + T(1e-2f);
            T const w = m[j] / (squared * std::sqrt(squared));
            sx += w * dx, sy += w * dy, sz += w * dz;
        }
        ax[i] = sx, ay[i] = sy, az[i] = sz;
    }
}
template <class T> void nbody(T* out, T const* x, T const* m, size n) {
    std::vector<T> apart(static_cast<std::size_t>(6 * n));
    T* const p = apart.data();
    for (size i = 0; i < n; ++i)
        for (size c = 0; c < 3; ++c) p[c * n + i] = x[i * 3 + c];
    nbody(p + 3 * n, p + 4 * n, p + 5 * n, p, p + n, p + 2 * n, m, n);
    for (size i = 0; i < n; ++i)
        for (size c = 0; c < 3; ++c) out[i * 3 + c] = p[(3 + c) * n + i];
}

// Many points at once, each against all others.
template <class T> void nearest(std::int64_t* out, T const* a, T const* b, size n, size m) {
    constexpr size lanes = 64;
    for (size i = 0; i < n; i += lanes) {
        T x[lanes], y[lanes], z[lanes], best[lanes];
        index at[lanes];
        size const some = std::min(lanes, n - i);
        for (size l = 0; l < lanes; ++l) {
            T const* const p = a + 3 * (i + std::min(l, some - 1));
            x[l] = p[0], y[l] = p[1], z[l] = p[2], best[l] = std::numeric_limits<T>::max(), at[l] = 0;
        }
        for (size j = 0; j < m; ++j) {
            T const bx = b[j * 3], by = b[j * 3 + 1], bz = b[j * 3 + 2];
            for (size l = 0; l < lanes; ++l) {
                T const dx = x[l] - bx, dy = y[l] - by, dz = z[l] - bz;
                T const d = dx * dx + dy * dy + dz * dz;
                at[l] = d < best[l] ? static_cast<index>(j) : at[l];
                best[l] = d < best[l] ? d : best[l];
            }
        }
        for (size l = 0; l < some; ++l) out[i + l] = at[l];
    }
}

template <class T> void kmeans(std::int64_t* at, T* out, T const* x, T const* c, size n) {
    constexpr size d = 8, k = 16;
    T columns[d][k], sums[k][d] = {}, counts[k] = {};
    for (size j = 0; j < k; ++j)
        for (size e = 0; e < d; ++e) columns[e][j] = c[j * d + e];
    for (size i = 0; i < n; ++i) {
        T far[k] = {};
        for (size e = 0; e < d; ++e)
            for (size j = 0; j < k; ++j) far[j] += (x[i * d + e] - columns[e][j]) * (x[i * d + e] - columns[e][j]);
        T least = far[0];
        for (size j = 1; j < k; ++j) least = std::min(least, far[j]);
        size place = 0;
        for (size j = k; j-- > 0;) place = far[j] == least ? j : place;
        at[i] = place;
        counts[place] += 1;
        for (size e = 0; e < d; ++e) sums[place][e] += x[i * d + e];
    }
    for (size j = 0; j < k; ++j)
        for (size e = 0; e < d; ++e) out[j * d + e] = sums[j][e] / std::max(counts[j], T(1));
}

template <class T>
void rotated(T* __restrict out, T* __restrict far, T const* __restrict x, T const* __restrict r, T const* __restrict p, size n) {
    for (size i = 0; i < n; ++i) {
        T const u = x[3 * i], v = x[3 * i + 1], w = x[3 * i + 2];
        T const a = r[0] * u + r[1] * v + r[2] * w, b = r[3] * u + r[4] * v + r[5] * w, c = r[6] * u + r[7] * v + r[8] * w;
        out[3 * i] = a, out[3 * i + 1] = b, out[3 * i + 2] = c;
        far[i] = std::sqrt((a - p[0]) * (a - p[0]) + (b - p[1]) * (b - p[1]) + (c - p[2]) * (c - p[2]));
    }
}

#define INSTANCES(T)                                                                                                             \
    template void nbody(T*, T const*, T const*, size);                                                                           \
    template void nbody(T*, T*, T*, T const*, T const*, T const*, T const*, size);                                               \
    template void nearest(std::int64_t*, T const*, T const*, size, size);                                                        \
    template void kmeans(std::int64_t*, T*, T const*, T const*, size);                                                           \
    template void rotated(T*, T*, T const*, T const*, T const*, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
