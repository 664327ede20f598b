#include "recurrent.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace baselines {
namespace {

// c += a b, of (m, k) and (k, n).
void add_product(std::size_t m, std::size_t k, std::size_t n, float const* a, float const* b, float* __restrict c) {
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t p = 0; p < k; ++p)
            for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}
// c += a^T b, of (k, m) and (k, n).
void add_product_of_transposed(std::size_t m, std::size_t k, std::size_t n, float const* a, float const* b, float* __restrict c) {
    for (std::size_t p = 0; p < k; ++p)
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[p * m + i] * b[p * n + j];
}
float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

constexpr std::size_t variables = 10;
using state = std::array<double, variables>;

template <class F> void runge_kutta(std::size_t steps, double step, double* y, F const& f) {
    state now, k1, k2, k3, k4, at;
    std::copy_n(y, variables, now.begin());
    for (std::size_t s = 0; s < steps; ++s) {
        f(now, k1);
        for (std::size_t i = 0; i < variables; ++i) at[i] = now[i] + 0.5 * step * k1[i];
        f(at, k2);
        for (std::size_t i = 0; i < variables; ++i) at[i] = now[i] + 0.5 * step * k2[i];
        f(at, k3);
        for (std::size_t i = 0; i < variables; ++i) at[i] = now[i] + step * k3[i];
        f(at, k4);
        for (std::size_t i = 0; i < variables; ++i) now[i] += step / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    std::copy_n(now.begin(), variables, y);
}

} // namespace

lstm_layer::lstm_layer(std::size_t steps, std::size_t batch, std::size_t n)
    : steps_{steps}, batch_{batch}, n_{n}, h_(steps * batch * n), c_(steps * batch * n), gates_(steps * batch * 4 * n) {}

void lstm_layer::forward(float const* x, float const* wx, float const* wh, float const* b) {
    std::size_t const size = batch_ * n_;
    std::vector<float> const none(size);
    for (std::size_t t = 0; t < steps_; ++t) {
        float* const z = gates_.data() + t * 4 * size;
        for (std::size_t r = 0; r < batch_; ++r) std::copy_n(b, 4 * n_, z + r * 4 * n_);
        add_product(batch_, n_, 4 * n_, x + t * size, wx, z);
        if (t > 0) add_product(batch_, n_, 4 * n_, h_.data() + (t - 1) * size, wh, z);
        float const* const before = t > 0 ? c_.data() + (t - 1) * size : none.data();
        float *const c = c_.data() + t * size, *const h = h_.data() + t * size;
        for (std::size_t r = 0; r < batch_; ++r) {
            float *const i = z + r * 4 * n_, *const f = i + n_, *const g = f + n_, *const o = g + n_;
            for (std::size_t k = 0; k < n_; ++k) {
                i[k] = sigmoid(i[k]), f[k] = sigmoid(f[k]), g[k] = std::tanh(g[k]), o[k] = sigmoid(o[k]);
                c[r * n_ + k] = f[k] * before[r * n_ + k] + i[k] * g[k];
                h[r * n_ + k] = o[k] * std::tanh(c[r * n_ + k]);
            }
        }
    }
}

void lstm_layer::backward(float const* dh, float const* x, float const* wx, float const* wh, float* dx, float* dwx, float* dwh,
                          float* db) {
    std::size_t const size = batch_ * n_;
    std::fill_n(dx, steps_ * size, 0.0f), std::fill_n(dwx, 4 * n_ * n_, 0.0f), std::fill_n(dwh, 4 * n_ * n_, 0.0f),
        std::fill_n(db, 4 * n_, 0.0f);
    std::vector<float> none(size), next_h(size), next_c(size), dz(4 * size), transposed_x(4 * n_ * n_), transposed_h(4 * n_ * n_);
    for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t j = 0; j < 4 * n_; ++j)
            transposed_x[j * n_ + k] = wx[k * 4 * n_ + j], transposed_h[j * n_ + k] = wh[k * 4 * n_ + j];
    for (std::size_t t = steps_; t-- > 0;) {
        float const *const z = gates_.data() + t * 4 * size, *const c = c_.data() + t * size;
        float const* const before = t > 0 ? c_.data() + (t - 1) * size : none.data();
        for (std::size_t r = 0; r < batch_; ++r) {
            float const *const i = z + r * 4 * n_, *const f = i + n_, *const g = f + n_, *const o = g + n_;
            float *const di = dz.data() + r * 4 * n_, *const df = di + n_, *const dg = df + n_, *const d_o = dg + n_;
            for (std::size_t k = 0; k < n_; ++k) {
                std::size_t const at = r * n_ + k;
                float const all = dh[t * size + at] + next_h[at], y = std::tanh(c[at]);
                float const dc = next_c[at] + all * o[k] * (1 - y * y);
                d_o[k] = all * y * o[k] * (1 - o[k]);
                di[k] = dc * g[k] * i[k] * (1 - i[k]);
                df[k] = dc * before[at] * f[k] * (1 - f[k]);
                dg[k] = dc * i[k] * (1 - g[k] * g[k]);
                next_c[at] = dc * f[k];
            }
        }
        std::fill(next_h.begin(), next_h.end(), 0.0f);
        add_product(batch_, 4 * n_, n_, dz.data(), transposed_h.data(), next_h.data());
        add_product(batch_, 4 * n_, n_, dz.data(), transposed_x.data(), dx + t * size);
        add_product_of_transposed(n_, batch_, 4 * n_, x + t * size, dz.data(), dwx);
        if (t > 0) add_product_of_transposed(n_, batch_, 4 * n_, h_.data() + (t - 1) * size, dz.data(), dwh);
        for (std::size_t r = 0; r < batch_; ++r)
            for (std::size_t j = 0; j < 4 * n_; ++j) db[j] += dz[r * 4 * n_ + j];
    }
}

void runge_kutta_squares(std::size_t steps, double step, double* y) {
    runge_kutta(steps, step, y, [](state const& at, state& out) {
        for (std::size_t i = 0; i < variables; ++i) out[i] = 1 - at[i] * at[i];
    });
}
void runge_kutta_lorenz(std::size_t steps, double step, double* y) {
    runge_kutta(steps, step, y, [](state const& at, state& out) {
        for (std::size_t i = 0; i < variables; ++i)
            out[i] = (at[(i + 1) % variables] - at[(i + 8) % variables]) * at[(i + 9) % variables] - at[i] + 8;
    });
}

} // namespace baselines
