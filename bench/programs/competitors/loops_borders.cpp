// Steps of grids with borders, and recurrences, as careful loops.
#include "loops.hpp"

#include <cmath>

namespace loops {

// The border by Mur's absorbing condition, without the corners, which stay what they are.
template <class T> void wave(T* __restrict out, T const* __restrict u, T const* __restrict before, size n) {
    T const k = (T(0.5) - 1) / (T(0.5) + 1);
    for (size i = 1; i < n - 1; ++i)
        for (size j = 1; j < n - 1; ++j) {
            T const* const p = u + i * n + j;
            out[i * n + j] = 2 * p[0] - before[i * n + j] + T(0.25) * (p[-1] + p[1] + p[-n] + p[n] - 4 * p[0]);
        }
    for (size i = 1; i < n - 1; ++i) {
        out[i * n] = u[i * n + 1] + k * (out[i * n + 1] - u[i * n]);
        out[i * n + n - 1] = u[i * n + n - 2] + k * (out[i * n + n - 2] - u[i * n + n - 1]);
    }
    for (size j = 1; j < n - 1; ++j) {
        out[j] = u[n + j] + k * (out[n + j] - u[j]);
        out[(n - 1) * n + j] = u[(n - 2) * n + j] + k * (out[(n - 2) * n + j] - u[(n - 1) * n + j]);
    }
    for (size const corner : {size{0}, n - 1, (n - 1) * n, n * n - 1}) out[corner] = u[corner];
}
template <class T> void periodic(T* __restrict out, T const* __restrict x, size n) {
    for (size i = 0; i < n; ++i) {
        T const* const row = x + i * n;
        T const *const above = x + (i + n - 1) % n * n, *const below = x + (i + 1) % n * n;
        auto const one = [&](size left, size j, size right) {
            out[i * n + j] = T(0.25) * (above[j] + below[j] + row[left] + row[right]);
        };
        one(n - 1, 0, 1);
        for (size j = 1; j < n - 1; ++j) one(j - 1, j, j + 1);
        one(n - 2, n - 1, 0);
    }
}
template <class T> void ising(T* __restrict out, T const* __restrict x, size n) {
    T sum = 0;
    for (size i = 0; i < n; ++i) {
        T const *const row = x + i * n, *const below = x + (i + 1) % n * n;
        for (size j = 0; j < n - 1; ++j) sum += row[j] * (below[j] + row[j + 1]);
        sum += row[n - 1] * (below[n - 1] + row[0]);
    }
    *out = -sum;
}
template <class T> void smoothing(T* __restrict out, T const* __restrict x, size n) {
    T state = 0;
    for (size i = 0; i < n; ++i) out[i] = state = T(0.94) * state + T(0.06) * x[i];
}
template <class T> void predators(T* __restrict out, T const* __restrict start, size steps) {
    T a = start[0], b = start[1];
    T const h = T(0.001);
    auto const slope = [](T x, T y, T& dx, T& dy) { dx = T(1.1) * x - T(0.4) * x * y, dy = T(0.1) * x * y - T(0.4) * y; };
    for (size i = 0; i < steps; ++i) {
        T a1, b1, a2, b2, a3, b3, a4, b4;
        slope(a, b, a1, b1);
        slope(a + h / 2 * a1, b + h / 2 * b1, a2, b2);
        slope(a + h / 2 * a2, b + h / 2 * b2, a3, b3);
        slope(a + h * a3, b + h * b3, a4, b4);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), b += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    out[0] = a, out[1] = b;
}

#define INSTANCES(T)                                                                                                             \
    template void wave(T*, T const*, T const*, size);                                                                            \
    template void periodic(T*, T const*, size);                                                                                  \
    template void ising(T*, T const*, size);                                                                                     \
    template void smoothing(T*, T const*, size);                                                                                 \
    template void predators(T*, T const*, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
