#include "gradient.hpp"

#include <cmath>

namespace baselines {

float plain_chain(std::size_t n, float const* x, float const* w, float* gx, float* gw) {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        float y[chain_length + 1], root[chain_length];
        float const q = 1 / (1 + w[i] * w[i]);
        y[0] = x[i];
        for (int k = 0; k < chain_length; ++k) {
            root[k] = std::sqrt(1 + y[k] * y[k]);
            y[k + 1] = root[k] * 0.7f - y[k] * w[i] + x[i] * q;
        }
        float const last = y[chain_length];
        sum += last * last;
        float g = 2 * last, all = 0, along_w = 0;
        for (int k = chain_length - 1; k >= 0; --k) {
            all += g;
            along_w -= g * y[k];
            g *= 0.7f * y[k] / root[k] - w[i];
        }
        gx[i] = g + all * q;
        gw[i] = along_w - all * x[i] * q * q * 2 * w[i];
    }
    return sum;
}

} // namespace baselines
