// The workloads computed in long double throughout, one step at a time: what every competitor's result is checked against.
#include "baselines.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace baselines {
namespace {

using real = long double;

template <class T> void axpy(std::size_t n, T a, T const* x, T const* y, T* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(real(a) * real(x[i]) + real(y[i]));
}

template <class T> void expmix(std::size_t n, T const* x, T const* y, T* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<T>(std::exp(-real(x[i]) * real(x[i])) * real(y[i]) + std::tanh(real(x[i])));
}

template <class T> void sqdiff(std::size_t n, T const* x, T const* y, T* out) {
    real total = 0;
    for (std::size_t i = 0; i < n; ++i) total += (real(x[i]) - real(y[i])) * (real(x[i]) - real(y[i]));
    *out = static_cast<T>(total);
}

template <class T> void sum(std::size_t n, T const* x, T* out) {
    real total = 0;
    for (std::size_t i = 0; i < n; ++i) total += real(x[i]);
    *out = static_cast<T>(total);
}

real normal_cdf(real x) { return std::erfc(-x / std::sqrt(real(2))) / 2; }

template <class T> void black_scholes(std::size_t n, market<T> const& options, T* out) {
    real const rate = options.rate;
    real const volatility = options.volatility;
    for (std::size_t i = 0; i < n; ++i) {
        real const spot = options.spot[i];
        real const strike = options.strike[i];
        real const time = options.time[i];
        real const deviation = volatility * std::sqrt(time);
        real const d1 = (std::log(spot / strike) + (rate + volatility * volatility / 2) * time) / deviation;
        out[i] = static_cast<T>(spot * normal_cdf(d1) - strike * std::exp(-rate * time) * normal_cdf(d1 - deviation));
    }
}

template <class T> void slice_1d(std::size_t n, T const* x, T s, T* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(real(x[2 * i]) + real(s));
}

template <class T> void softmax_rows(std::size_t rows, std::size_t columns, T const* x, T* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        T const* row = x + i * columns;
        real const largest = *std::max_element(row, row + columns);
        real total = 0;
        for (std::size_t j = 0; j < columns; ++j) total += std::exp(real(row[j]) - largest);
        for (std::size_t j = 0; j < columns; ++j)
            out[i * columns + j] = static_cast<T>(std::exp(real(row[j]) - largest) / total);
    }
}

// Mean and variance of `count` elements, `stride` apart.
template <class T> void moments(std::size_t count, std::size_t stride, T const* x, real& mean, real& variance) {
    mean = 0;
    for (std::size_t i = 0; i < count; ++i) mean += real(x[i * stride]);
    mean /= static_cast<real>(count);
    variance = 0;
    for (std::size_t i = 0; i < count; ++i) variance += (real(x[i * stride]) - mean) * (real(x[i * stride]) - mean);
    variance /= static_cast<real>(count);
}

template <class T>
void layer_norm_rows(std::size_t rows, std::size_t columns, T const* x, T const* gain, T const* bias, T* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        real mean = 0;
        real variance = 0;
        moments(columns, 1, x + i * columns, mean, variance);
        real const scale = 1 / std::sqrt(variance + real(layer_norm_epsilon<T>));
        for (std::size_t j = 0; j < columns; ++j)
            out[i * columns + j] = static_cast<T>((real(x[i * columns + j]) - mean) * scale * real(gain[j]) + real(bias[j]));
    }
}

template <class T> void standardize_columns(std::size_t rows, std::size_t columns, T const* x, T* out) {
    for (std::size_t j = 0; j < columns; ++j) {
        real mean = 0;
        real variance = 0;
        moments(rows, columns, x + j, mean, variance);
        for (std::size_t i = 0; i < rows; ++i)
            out[i * columns + j] = static_cast<T>((real(x[i * columns + j]) - mean) / std::sqrt(variance));
    }
}

template <class T> void transpose_add(std::size_t rows, std::size_t columns, T const* x, T const* y, T* out) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            out[i * columns + j] = static_cast<T>(real(x[j * rows + i]) + real(y[i * columns + j]));
}

template <class T> void slice_2d(std::size_t rows, std::size_t columns, T const* x, T s, T* out) {
    for (std::size_t i = 0; i < rows; i += 2)
        for (std::size_t j = 1; j < columns; j += 3) *out++ = static_cast<T>(real(x[i * columns + j]) + real(s));
}

template <class T> void triad(std::size_t n, T s, T const* b, T const* c, T* a) { axpy(n, s, c, b, a); }

} // namespace

template <class T> competitor<T> reference() {
    return {.name = "reference",
            .version = "",
            .axpy = axpy<T>,
            .expmix = expmix<T>,
            .sqdiff = sqdiff<T>,
            .sum = sum<T>,
            .black_scholes = black_scholes<T>,
            .slice_1d = slice_1d<T>,
            .softmax_rows = softmax_rows<T>,
            .layer_norm_rows = layer_norm_rows<T>,
            .standardize_columns = standardize_columns<T>,
            .transpose_add = transpose_add<T>,
            .slice_2d = slice_2d<T>,
            .triad = triad<T>};
}
template competitor<float> reference<float>();
template competitor<double> reference<double>();

} // namespace baselines
