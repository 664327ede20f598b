// Loops in which several things are done on the way: normalisation, pairs, substitution, a recursion of vectors.
#include "loops.hpp"

#include <cmath>
#include <vector>

namespace loops {

template <class T> void quaternions(T* __restrict out, T const* __restrict a, T const* __restrict b, size n) {
    for (size i = 0; i < n; ++i) {
        T const *const p = a + 4 * i, *const q = b + 4 * i;
        T* const r = out + 4 * i;
        r[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
        r[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
        r[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
        r[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
    }
}
template <class T> void batch_norm(T* __restrict out, T const* __restrict x, T const* __restrict gain, T const* __restrict bias,
                                   size n, size channels, size m) {
    for (size k = 0; k < channels; ++k) {
        T sum = 0, squares = 0;
        for (size i = 0; i < n; ++i)
            for (size j = 0; j < m; ++j) sum += x[(i * channels + k) * m + j];
        T const mean = sum / T(n * m);
        for (size i = 0; i < n; ++i)
            for (size j = 0; j < m; ++j) {
                T const d = x[(i * channels + k) * m + j] - mean;
                squares += d * d;
            }
        T const scale = gain[k] / std::sqrt(squares / T(n * m) + T(1e-5)), shift = bias[k] - mean * scale;
        for (size i = 0; i < n; ++i)
            for (size j = 0; j < m; ++j) out[(i * channels + k) * m + j] = x[(i * channels + k) * m + j] * scale + shift;
    }
}
template <class T> void lennard_jones(T* __restrict energy, T* __restrict gradient, T const* __restrict x, size n) {
    T sum = 0;
    for (size i = 0; i < n; ++i) {
        T g[3]{};
        for (size j = 0; j < n; ++j) {
            T const dx = x[i] - x[j], dy = x[n + i] - x[n + j], dz = x[2 * n + i] - x[2 * n + j];
            T const other = i != j, q = 1 / (dx * dx + dy * dy + dz * dz + (1 - other)), q3 = q * q * q * other;
            sum += 2 * (q3 * q3 - q3);
            T const force = -24 * (2 * q3 * q3 - q3) * q;
            g[0] += force * dx, g[1] += force * dy, g[2] += force * dz;
        }
        for (size c = 0; c < 3; ++c) gradient[c * n + i] = g[c];
    }
    *energy = sum;
}
template <class T> void triangles(T* __restrict out, T const* __restrict a, T const* __restrict b, size count, size n, size k) {
    for (size q = 0; q < count; ++q) {
        T const* const l = a + q * n * n;
        T* const x = out + q * n * k;
        for (size i = 0; i < n; ++i) {
            for (size c = 0; c < k; ++c) x[i * k + c] = b[(q * n + i) * k + c];
            for (size j = 0; j < i; ++j)
                for (size c = 0; c < k; ++c) x[i * k + c] -= l[i * n + j] * x[j * k + c];
            T const scale = 1 / l[i * n + i];
            for (size c = 0; c < k; ++c) x[i * k + c] *= scale;
        }
    }
}
// The logarithm of how likely what was seen is: moves (states, states), seen (steps, states).
template <class T>
void hidden_markov(T* __restrict out, T const* __restrict moves, T const* __restrict seen, size states, size steps) {
    std::vector<T> now(static_cast<std::size_t>(states), 1 / T(states)), next(now.size());
    T* __restrict const a = now.data();
    T* __restrict const b = next.data();
    T all = 0;
    for (size s = 0; s < steps; ++s) {
        for (size j = 0; j < states; ++j) b[j] = 0;
        for (size i = 0; i < states; ++i)
            for (size j = 0; j < states; ++j) b[j] += a[i] * moves[i * states + j];
        T sum = 0;
        for (size j = 0; j < states; ++j) sum += b[j] *= seen[s * states + j];
        for (size j = 0; j < states; ++j) a[j] = b[j] / sum;
        all += std::log(sum);
    }
    *out = all;
}

#define LOOPS_OF(T)                                                                                                              \
    template void quaternions(T*, T const*, T const*, size);                                                                     \
    template void batch_norm(T*, T const*, T const*, T const*, size, size, size);                                                \
    template void lennard_jones(T*, T*, T const*, size);                                                                         \
    template void triangles(T*, T const*, T const*, size, size, size);                                                           \
    template void hidden_markov(T*, T const*, T const*, size, size);
LOOPS_OF(float)
LOOPS_OF(double)

} // namespace loops
