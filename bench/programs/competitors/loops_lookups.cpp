#include "loops.hpp"

#include <algorithm>

namespace loops {

template <class T> void gather(T* __restrict out, T const* x, index const* i, T const* y, size n) {
    for (size k = 0; k < n; ++k) out[k] = x[i[k]] * y[k] + 1;
}

template <class T> void bags(T* __restrict out, T const* __restrict table, index const* i, size n, size m) {
    constexpr size d = 64;
    for (size k = 0; k < n; ++k) {
        T sums[d] = {};
        for (size j = 0; j < m; ++j) {
            T const* const row = table + size{i[k * m + j]} * d;
            for (size e = 0; e < d; ++e) sums[e] += row[e];
        }
        for (size e = 0; e < d; ++e) out[k * d + e] = sums[e];
    }
}

template <class T> void embedding(T* __restrict out, T const* __restrict table, index const* i, size n) {
    constexpr size d = 64;
    for (size k = 0; k < n; ++k)
        for (size e = 0; e < d; ++e) out[k * d + e] = table[size{i[k]} * d + e];
}

template <class T> void groups(T* __restrict out, T const* x, index const* i, size n, size count) {
    std::fill(out, out + count, T(0));
    for (size k = 0; k < n; ++k) out[i[k]] += x[k];
}

#define INSTANCES(T)                                                                                                             \
    template void gather(T*, T const*, index const*, T const*, size);                                                            \
    template void bags(T*, T const*, index const*, size, size);                                                                  \
    template void embedding(T*, T const*, index const*, size);                                                                   \
    template void groups(T*, T const*, index const*, size, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
