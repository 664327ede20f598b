// In blocks that stay in the cache, because Eigen keeps each intermediate value in an array.
#if defined(__GNUC__) && !defined(__clang__) // g++ 12 warns about its own _mm512_undefined_ps, g++ 13 no longer (bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "gradient.hpp"

#include <Eigen/Core>

#include <algorithm>

namespace baselines {

float eigen_chain(std::size_t n, float const* x, float const* w, float* gx, float* gw) {
    constexpr Eigen::Index block = 256;
    using array = Eigen::Array<float, Eigen::Dynamic, 1, 0, block, 1>;
    array y[chain_length + 1], root[chain_length], q, g, all, along_w;
    float sum = 0;
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(n); i += block) {
        Eigen::Index const m = std::min(block, static_cast<Eigen::Index>(n) - i);
        Eigen::Map<Eigen::ArrayXf const> const xs(x + i, m), ws(w + i, m);
        q = 1 / (1 + ws.square());
        y[0] = xs;
        for (int k = 0; k < chain_length; ++k) {
            root[k] = (1 + y[k].square()).sqrt();
            y[k + 1] = root[k] * 0.7f - y[k] * ws + xs * q;
        }
        sum += y[chain_length].square().sum();
        g = 2 * y[chain_length];
        all.setZero(m);
        along_w.setZero(m);
        for (int k = chain_length - 1; k >= 0; --k) {
            all += g;
            along_w -= g * y[k];
            g *= 0.7f * y[k] / root[k] - ws;
        }
        Eigen::Map<Eigen::ArrayXf>(gx + i, m) = g + all * q;
        Eigen::Map<Eigen::ArrayXf>(gw + i, m) = along_w - all * xs * q.square() * 2 * ws;
    }
    return sum;
}

} // namespace baselines
