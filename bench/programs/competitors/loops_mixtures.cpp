#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace loops {

// Of the sum over points of log(sum over k of w_k * exp(...)), w = softmax(logits).
template <class T>
void mixture(T* dlogits, T* dmeans, T* dlogs, T const* logits, T const* means, T const* logs, T const* x, size n) {
    constexpr size k = 16, d = 8;
    T mean[d][k], inverse[d][k], constant[k], dmean[d][k] = {}, dlog[d][k] = {}, dweight[k] = {};
    T most = logits[0], total = 0;
    for (size j = 0; j < k; ++j) most = std::max(most, logits[j]);
    for (size j = 0; j < k; ++j) total += std::exp(logits[j] - most);
    T const log_total = most + std::log(total);
    for (size j = 0; j < k; ++j) {
        constant[j] = logits[j] - log_total;
        for (size e = 0; e < d; ++e) {
            mean[e][j] = means[j * d + e], inverse[e][j] = std::exp(-logs[j * d + e]);
            constant[j] -= logs[j * d + e];
        }
    }
    // Some points at once, for long loops of exponentials.
    constexpr size block = 16;
    for (size i = 0; i < n; i += block) {
        T all_z[block][d][k], all_p[block * k];
        size const some = std::min(block, n - i);
        for (size l = 0; l < some; ++l) {
            auto& z = all_z[l];
            T* const p = all_p + l * k;
            for (size j = 0; j < k; ++j) p[j] = 0;
            for (size e = 0; e < d; ++e)
                for (size j = 0; j < k; ++j) {
                    z[e][j] = (x[(i + l) * d + e] - mean[e][j]) * inverse[e][j];
                    p[j] += z[e][j] * z[e][j];
                }
            T largest = constant[0] - T(0.5) * p[0];
            for (size j = 0; j < k; ++j) {
                p[j] = constant[j] - T(0.5) * p[j];
                largest = std::max(largest, p[j]);
            }
            for (size j = 0; j < k; ++j) p[j] -= largest;
        }
        for (size j = 0; j < some * k; ++j) all_p[j] = std::exp(all_p[j]);
        for (size l = 0; l < some; ++l) {
            auto const& z = all_z[l];
            T* const p = all_p + l * k;
            T sum = 0;
            for (size j = 0; j < k; ++j) sum += p[j];
            T const share = 1 / sum;
            for (size j = 0; j < k; ++j) dweight[j] += p[j] *= share;
            for (size e = 0; e < d; ++e)
                for (size j = 0; j < k; ++j) {
                    dmean[e][j] += p[j] * z[e][j];
                    dlog[e][j] += p[j] * (z[e][j] * z[e][j] - 1);
                }
        }
    }
    for (size j = 0; j < k; ++j) {
        dlogits[j] = dweight[j] - static_cast<T>(n) * std::exp(logits[j] - log_total);
        for (size e = 0; e < d; ++e) dmeans[j * d + e] = dmean[e][j] * inverse[e][j], dlogs[j * d + e] = dlog[e][j];
    }
}

// Factors are lower triangles L of the precisions L^T L; their diagonals are used as they are, log |L| = sum of log of the
// diagonal. A block of points side by side.
template <class T> void full_mixture(T* value, T* dlogits, T* dmeans, T* dfactors, T const* logits, T const* means,
                                     T const* factors, T const* x, size n) {
    constexpr size k = 25, d = 10, lanes = 64;
    T most = logits[0], total = 0, constant[k];
    for (size j = 0; j < k; ++j) most = std::max(most, logits[j]);
    for (size j = 0; j < k; ++j) total += std::exp(logits[j] - most);
    T const log_total = most + std::log(total);
    for (size j = 0; j < k; ++j) {
        constant[j] = logits[j] - log_total;
        for (size e = 0; e < d; ++e) constant[j] += std::log(factors[(j * d + e) * d + e]);
    }
    std::fill(dlogits, dlogits + k, T(0)), std::fill(dmeans, dmeans + k * d, T(0)),
        std::fill(dfactors, dfactors + k * d * d, T(0));
    std::vector<T> memory(static_cast<std::size_t>(k * d * lanes + k * lanes));
    T(*const all_z)[d][lanes] = reinterpret_cast<T(*)[d][lanes]>(memory.data());
    T(*const p)[lanes] = reinterpret_cast<T(*)[lanes]>(memory.data() + k * d * lanes);
    T loss = 0;
    for (size i = 0; i < n; i += lanes) {
        size const some = std::min(lanes, n - i);
        T points[d][lanes], apart[d][lanes], largest[lanes], sums[lanes] = {};
        for (size l = 0; l < lanes; ++l)
            for (size e = 0; e < d; ++e) points[e][l] = x[(i + std::min(l, some - 1)) * d + e];
        for (size j = 0; j < k; ++j) {
            T const* const factor = factors + j * d * d;
            for (size e = 0; e < d; ++e)
                for (size l = 0; l < lanes; ++l) apart[e][l] = points[e][l] - means[j * d + e];
            for (size l = 0; l < lanes; ++l) p[j][l] = 0;
            for (size r = 0; r < d; ++r) {
                T z[lanes] = {};
                for (size c = 0; c <= r; ++c)
                    for (size l = 0; l < lanes; ++l) z[l] += factor[r * d + c] * apart[c][l];
                for (size l = 0; l < lanes; ++l) all_z[j][r][l] = z[l], p[j][l] += z[l] * z[l];
            }
            for (size l = 0; l < lanes; ++l) p[j][l] = constant[j] - T(0.5) * p[j][l];
        }
        for (size l = 0; l < lanes; ++l) largest[l] = p[0][l];
        for (size j = 1; j < k; ++j)
            for (size l = 0; l < lanes; ++l) largest[l] = std::max(largest[l], p[j][l]);
        for (size j = 0; j < k; ++j)
            for (size l = 0; l < lanes; ++l) sums[l] += p[j][l] = std::exp(p[j][l] - largest[l]);
        for (size l = 0; l < some; ++l) loss += largest[l] + std::log(sums[l]);
        for (size l = 0; l < lanes; ++l) sums[l] = l < some ? 1 / sums[l] : T(0);
        for (size j = 0; j < k; ++j) {
            T const* const factor = factors + j * d * d;
            T weight = 0;
            for (size l = 0; l < lanes; ++l) weight += p[j][l] *= sums[l];
            dlogits[j] += weight;
            for (size e = 0; e < d; ++e)
                for (size l = 0; l < lanes; ++l) apart[e][l] = points[e][l] - means[j * d + e];
            T summed[d];
            for (size r = 0; r < d; ++r) {
                T z[lanes], sum = 0;
                for (size l = 0; l < lanes; ++l) sum += z[l] = all_z[j][r][l] * p[j][l];
                summed[r] = sum;
                for (size c = 0; c <= r; ++c) {
                    T by = 0;
                    for (size l = 0; l < lanes; ++l) by += z[l] * apart[c][l];
                    dfactors[(j * d + r) * d + c] -= by;
                }
                dfactors[(j * d + r) * d + r] += weight / factor[r * d + r];
            }
            for (size c = 0; c < d; ++c)
                for (size r = c; r < d; ++r) dmeans[j * d + c] += factor[r * d + c] * summed[r];
        }
    }
    *value = loss;
    for (size j = 0; j < k; ++j) dlogits[j] -= static_cast<T>(n) * std::exp(logits[j] - log_total);
}

// sum((K a - y)^2) + 0.1 a^T K a, K_ij = exp(-|x_i - x_j|^2 / (2 length^2)): K is computed once for K a, once more for the
// gradients.
template <class T> void ridge(T* value, T* da, T* dlength, T const* a, T const* length, T const* x, T const* y, size n) {
    constexpr size d = 8;
    auto const count = static_cast<std::size_t>(n);
    std::vector<T> memory(count * d), product(count), off(count);
    T* const columns = memory.data();
    for (size i = 0; i < n; ++i)
        for (size e = 0; e < d; ++e) columns[e * n + i] = x[i * d + e];
    T const scale = T(-0.5) / (*length * *length), lambda = T(0.1f);
    T loss = 0;
    for (size i = 0; i < n; ++i) {
        T const* const p = x + i * d;
        T sum = 0;
        for (size j = 0; j < n; ++j) {
            T squared = 0;
            for (size e = 0; e < d; ++e) squared += (p[e] - columns[e * n + j]) * (p[e] - columns[e * n + j]);
            sum += std::exp(squared * scale) * a[j];
        }
        product[static_cast<std::size_t>(i)] = sum;
        T const r = sum - y[i];
        loss += r * r + lambda * a[i] * sum;
        off[static_cast<std::size_t>(i)] = 2 * r;
    }
    *value = loss;
    T by_scale = 0;
    for (size i = 0; i < n; ++i) {
        T const* const p = x + i * d;
        T sum = 0, by_row = 0;
        for (size j = 0; j < n; ++j) {
            T squared = 0;
            for (size e = 0; e < d; ++e) squared += (p[e] - columns[e * n + j]) * (p[e] - columns[e * n + j]);
            T const kernel = std::exp(squared * scale) * (off[static_cast<std::size_t>(j)] + lambda * a[j]);
            sum += kernel;
            by_row += kernel * squared;
        }
        da[i] = sum + lambda * product[static_cast<std::size_t>(i)];
        by_scale += by_row * a[i];
    }
    *dlength = by_scale / (*length * *length * *length);
}

#define INSTANCES(T)                                                                                                             \
    template void mixture(T*, T*, T*, T const*, T const*, T const*, T const*, size);                                             \
    template void full_mixture(T*, T*, T*, T*, T const*, T const*, T const*, T const*, size);                                    \
    template void ridge(T*, T*, T*, T const*, T const*, T const*, T const*, size);
INSTANCES(float)
INSTANCES(double)

} // namespace loops
