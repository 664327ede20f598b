// This file makes matrices whose singular values, or eigenvalues, are far apart, so that rounding hardly turns their vectors.
#pragma once

#include <tracexpr/base/shape.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace tx::testing {

enum class spread_kind { rectangular, symmetric, half_rank };

// Gives matrices in row-major order, those of a batch one after the other: H D H' where D has the numbers 1/k ... 1 on a diagonal
// of k, in another order, and H and H' are reflections. H' is H in symmetric ones, which are positive definite. Matrices of half
// rank have every other number 0.
inline std::vector<double> spread_matrices(dims const& extents, unsigned seed, spread_kind kind = spread_kind::rectangular) {
    auto const m = static_cast<std::size_t>(extents[extents.rank - 2]), n = static_cast<std::size_t>(extents[extents.rank - 1]), k = std::min(m, n);
    std::mt19937_64 bits(seed);
    auto const direction = [&](std::size_t size) {
        std::normal_distribution<double> spread;
        std::vector<double> out(size);
        double sum = 0;
        for (double& x : out) x = spread(bits), sum += x * x;
        for (double& x : out) x /= std::sqrt(sum);
        return out;
    };
    auto const on_diagonal = [&](std::size_t i) {
        bool const is_zero = i >= k || (kind == spread_kind::half_rank && i % 2);
        return is_zero ? 0.0 : static_cast<double>(1 + (i * 37 + 5) % k) / static_cast<double>(k);
    };
    std::vector<double> out(static_cast<std::size_t>(extents.size()));
    for (std::size_t first = 0; first < out.size(); first += m * n) {
        std::vector<double> const v = direction(m), w = kind == spread_kind::symmetric ? v : direction(n);
        double across = 0;
        for (std::size_t i = 0; i < k; ++i) across += v[i] * on_diagonal(i) * w[i];
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double const turned = (j < k ? v[j] * on_diagonal(j) : 0) * v[i] + (i < k ? on_diagonal(i) * w[i] : 0) * w[j];
                out[first + i * n + j] = (i == j ? on_diagonal(i) : 0) - 2 * turned + 4 * v[i] * across * w[j];
            }
    }
    return out;
}
// Gives any matrices with elements from -1 to 1.
inline std::vector<double> random_matrices(dims const& extents, unsigned seed) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> spread(-1, 1);
    std::vector<double> out(static_cast<std::size_t>(extents.size()));
    for (double& x : out) x = spread(bits);
    return out;
}

} // namespace tx::testing
