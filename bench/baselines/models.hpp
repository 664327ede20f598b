// Value and gradient of three models as written by hand over CBLAS and Eigen: products are single calls, everything else is done row by
// row while the row is in the cache. Each keeps its own buffers and says how many bytes those have.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) // g++ 12 warns about its own _mm512_undefined_ps, g++ 13 no longer (bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <Eigen/Core>
#include <cblas.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace models {

using row = Eigen::Map<Eigen::ArrayXf>;
using const_row = Eigen::Map<Eigen::ArrayXf const>;
using floats = std::vector<float>;
inline std::size_t bytes_of(floats const& x) { return x.size() * sizeof(float); }

inline void multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float const* a, float const* b, float* c) {
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, ta == CblasNoTrans ? k : m, b, tb == CblasNoTrans ? n : k, 0, c, n);
}

// log sum exp(X w - y) + |w|^2 / 2, X of (n, d).
struct log_sum_exp {
    int n, d;
    floats z = floats(static_cast<std::size_t>(n));
    std::size_t bytes() const { return bytes_of(z); }

    float operator()(float const* x, float const* y, float const* w, float* gradient) {
        row at(z.data(), n), g(gradient, d);
        const_row const weights(w, d);
        cblas_sgemv(CblasRowMajor, CblasNoTrans, n, d, 1, x, d, w, 1, 0, z.data(), 1);
        at -= const_row(y, n);
        float const most = at.maxCoeff();
        at = (at - most).exp();
        float const sum = at.sum();
        g = weights;
        cblas_sgemv(CblasRowMajor, CblasTrans, n, d, 1 / sum, x, d, z.data(), 1, 1, gradient, 1);
        return std::log(sum) + most + 0.5f * weights.square().sum();
    }
};

// Mean over n rows of log sum exp(z) - z[label]; the gradient with respect to z.
inline float cross_entropy(int n, int classes, float const* z, std::int32_t const* labels, float* gradient) {
    float loss = 0;
    float const scale = 1 / static_cast<float>(n);
    for (int i = 0; i < n; ++i) {
        const_row const in(z + std::ptrdiff_t{i} * classes, classes);
        row out(gradient + std::ptrdiff_t{i} * classes, classes);
        float const most = in.maxCoeff();
        float const chosen = in[labels[i]];
        out = (in - most).exp();
        float const sum = out.sum();
        out *= scale / sum;
        out[labels[i]] -= scale;
        loss += std::log(sum) + most - chosen;
    }
    return loss * scale;
}

// Dense layers 784 - 512 - 256 - 10 with relu, cross entropy at the end: the loss of a batch, and its gradient.
struct mlp {
    static constexpr int batch = 256, sizes[4] = {784, 512, 256, 10};
    struct parameters {
        floats w[3], b[3];
    };
    floats h[3], g[3];

    mlp() {
        for (int l = 0; l < 3; ++l) h[l].resize(static_cast<std::size_t>(batch * sizes[l + 1])), g[l].resize(h[l].size());
    }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (int l = 0; l < 3; ++l) sum += bytes_of(h[l]) + bytes_of(g[l]);
        return sum;
    }
    float operator()(parameters const& p, float const* x, std::int32_t const* labels, parameters& gradient) {
        for (int l = 0; l < 3; ++l) {
            int const n = sizes[l + 1];
            multiply(CblasNoTrans, CblasNoTrans, batch, n, sizes[l], l ? h[l - 1].data() : x, p.w[l].data(), h[l].data());
            for (int i = 0; i < batch; ++i) {
                row out(h[l].data() + i * n, n);
                const_row const bias(p.b[l].data(), n);
                if (l < 2) out = (out + bias).max(0.0f);
                else out += bias;
            }
        }
        float const loss = cross_entropy(batch, sizes[3], h[2].data(), labels, g[2].data());
        for (int l = 2; l >= 0; --l) {
            int const n = sizes[l + 1], k = sizes[l];
            row bias(gradient.b[l].data(), n);
            bias.setZero();
            for (int i = 0; i < batch; ++i) bias += row(g[l].data() + i * n, n);
            multiply(CblasTrans, CblasNoTrans, k, n, batch, l ? h[l - 1].data() : x, g[l].data(), gradient.w[l].data());
            if (l > 0) {
                multiply(CblasNoTrans, CblasTrans, batch, k, n, g[l].data(), p.w[l].data(), g[l - 1].data());
                row before(g[l - 1].data(), batch * k);
                before = (const_row(h[l - 1].data(), batch * k) > 0).select(before, 0.0f);
            }
        }
        return loss;
    }
};

} // namespace models
