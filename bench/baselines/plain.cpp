// Loops as a good C++ programmer writes them. Compiled with -O3 -march=native -ffast-math, so g++ may vectorise the
// reductions and call the SIMD versions of exp, tanh, log and erf in glibc's libmvec.
#include "baselines.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#if defined(__clang__)
#define BENCH_COMPILER "clang " __clang_version__
#else
#define BENCH_COMPILER "g++ " __VERSION__
#endif

namespace baselines {
namespace {

template <class T> void axpy(std::size_t n, T a, T const* __restrict__ x, T const* __restrict__ y, T* __restrict__ out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
}

template <class T> void expmix(std::size_t n, T const* __restrict__ x, T const* __restrict__ y, T* __restrict__ out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(-x[i] * x[i]) * y[i] + std::tanh(x[i]);
}

template <class T> void sqdiff(std::size_t n, T const* __restrict__ x, T const* __restrict__ y, T* out) {
    T total = 0;
    for (std::size_t i = 0; i < n; ++i) total += (x[i] - y[i]) * (x[i] - y[i]);
    *out = total;
}

template <class T> void sum(std::size_t n, T const* x, T* out) {
    T total = 0;
    for (std::size_t i = 0; i < n; ++i) total += x[i];
    *out = total;
}

// The normal distribution function.
template <class T> inline T normal_cdf(T x) { return T(0.5) + T(0.5) * std::erf(x * T(0.70710678118654752440)); }

template <class T> void black_scholes(std::size_t n, market<T> const& options, T* __restrict__ out) {
    T const* __restrict__ spot = options.spot;
    T const* __restrict__ strike = options.strike;
    T const* __restrict__ time = options.time;
    T const rate = options.rate;
    T const volatility = options.volatility;
    T const drift = rate + volatility * volatility / 2;
    for (std::size_t i = 0; i < n; ++i) {
        T const deviation = volatility * std::sqrt(time[i]);
        T const d1 = (std::log(spot[i] / strike[i]) + drift * time[i]) / deviation;
        T const d2 = d1 - deviation;
        out[i] = spot[i] * normal_cdf(d1) - strike[i] * std::exp(-rate * time[i]) * normal_cdf(d2);
    }
}

template <class T> void slice_1d(std::size_t n, T const* __restrict__ x, T s, T* __restrict__ out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = x[2 * i] + s;
}

template <class T> void softmax_rows(std::size_t rows, std::size_t columns, T const* __restrict__ x, T* __restrict__ out) {
    for (std::size_t i = 0; i < rows; ++i) {
        T const* row = x + i * columns;
        T* to = out + i * columns;
        T largest = row[0];
        for (std::size_t j = 1; j < columns; ++j) largest = std::max(largest, row[j]);
        T total = 0;
        for (std::size_t j = 0; j < columns; ++j) total += to[j] = std::exp(row[j] - largest);
        T const scale = 1 / total;
        for (std::size_t j = 0; j < columns; ++j) to[j] *= scale;
    }
}

template <class T>
void layer_norm_rows(std::size_t rows, std::size_t columns, T const* __restrict__ x, T const* __restrict__ gain,
                     T const* __restrict__ bias, T* __restrict__ out) {
    T const count = static_cast<T>(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        T const* row = x + i * columns;
        T* to = out + i * columns;
        T total = 0;
        for (std::size_t j = 0; j < columns; ++j) total += row[j];
        T const mean = total / count;
        T squares = 0;
        for (std::size_t j = 0; j < columns; ++j) squares += (row[j] - mean) * (row[j] - mean);
        T const scale = 1 / std::sqrt(squares / count + layer_norm_epsilon<T>);
        for (std::size_t j = 0; j < columns; ++j) to[j] = (row[j] - mean) * scale * gain[j] + bias[j];
    }
}

template <class T>
void standardize_columns(std::size_t rows, std::size_t columns, T const* __restrict__ x, T* __restrict__ out) {
    auto const scratch = std::make_unique<T[]>(2 * columns);
    T* __restrict__ mean = scratch.get();
    T* __restrict__ scale = scratch.get() + columns;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) mean[j] += x[i * columns + j];
    T const count = static_cast<T>(rows);
    for (std::size_t j = 0; j < columns; ++j) mean[j] /= count;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            T const difference = x[i * columns + j] - mean[j];
            scale[j] += difference * difference;
        }
    for (std::size_t j = 0; j < columns; ++j) scale[j] = 1 / std::sqrt(scale[j] / count);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) out[i * columns + j] = (x[i * columns + j] - mean[j]) * scale[j];
}

// In blocks, so that the columns read from x stay in the cache until each of their lines is used up.
template <class T>
void transpose_add(std::size_t rows, std::size_t columns, T const* __restrict__ x, T const* __restrict__ y, T* __restrict__ out) {
    constexpr std::size_t block = 32;
    for (std::size_t top = 0; top < rows; top += block)
        for (std::size_t left = 0; left < columns; left += block)
            for (std::size_t i = top; i < std::min(rows, top + block); ++i)
                for (std::size_t j = left; j < std::min(columns, left + block); ++j)
                    out[i * columns + j] = x[j * rows + i] + y[i * columns + j];
}

template <class T> void slice_2d(std::size_t rows, std::size_t columns, T const* __restrict__ x, T s, T* __restrict__ out) {
    std::size_t const width = slice_2d_columns(columns);
    for (std::size_t i = 0; i < slice_2d_rows(rows); ++i)
        for (std::size_t j = 0; j < width; ++j) out[i * width + j] = x[2 * i * columns + 3 * j + 1] + s;
}

template <class T> void triad(std::size_t n, T s, T const* __restrict__ b, T const* __restrict__ c, T* __restrict__ a) {
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

} // namespace

template <class T> competitor<T> plain() {
    return {.name = "plain",
            .version = BENCH_COMPILER,
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
template competitor<float> plain<float>();
template competitor<double> plain<double>();

} // namespace baselines
