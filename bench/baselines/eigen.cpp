// The workloads in Eigen, over Map: no copies, lazy expressions written straight into the output.
#if defined(__GNUC__) && !defined(__clang__) // g++ 12 warns about its own _mm512_undefined_ps, g++ 13 no longer (bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "baselines.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include <algorithm>
#include <cmath>

#define BENCH_TEXT_OF(x) #x
#define BENCH_TEXT(x) BENCH_TEXT_OF(x)
#define BENCH_EIGEN BENCH_TEXT(EIGEN_WORLD_VERSION) "." BENCH_TEXT(EIGEN_MAJOR_VERSION) "." BENCH_TEXT(EIGEN_MINOR_VERSION)

namespace baselines {
namespace {

using Eigen::Dynamic;
using Eigen::Index;

template <class T> using vector = Eigen::Array<T, Dynamic, 1>;
template <class T> using row = Eigen::Array<T, 1, Dynamic>;
template <class T> using matrix = Eigen::Array<T, Dynamic, Dynamic, Eigen::RowMajor>;

template <class T> auto in(T const* data, std::size_t n) { return Eigen::Map<vector<T> const>(data, static_cast<Index>(n)); }
template <class T> auto to(T* data, std::size_t n) { return Eigen::Map<vector<T>>(data, static_cast<Index>(n)); }
template <class T> auto in_row(T const* data, std::size_t n) { return Eigen::Map<row<T> const>(data, static_cast<Index>(n)); }
template <class T> auto to_row(T* data, std::size_t n) { return Eigen::Map<row<T>>(data, static_cast<Index>(n)); }
template <class T> auto in(T const* data, std::size_t rows, std::size_t columns) {
    return Eigen::Map<matrix<T> const>(data, static_cast<Index>(rows), static_cast<Index>(columns));
}
template <class T> auto to(T* data, std::size_t rows, std::size_t columns) {
    return Eigen::Map<matrix<T>>(data, static_cast<Index>(rows), static_cast<Index>(columns));
}

template <class T> void axpy(std::size_t n, T a, T const* x, T const* y, T* out) { to(out, n) = a * in(x, n) + in(y, n); }

template <class T> void expmix(std::size_t n, T const* x, T const* y, T* out) {
    to(out, n) = (-in(x, n).square()).exp() * in(y, n) + in(x, n).tanh();
}

template <class T> void sqdiff(std::size_t n, T const* x, T const* y, T* out) { *out = (in(x, n) - in(y, n)).square().sum(); }

template <class T> void sum(std::size_t n, T const* x, T* out) { *out = in(x, n).sum(); }

// Eigen 3.4 has a SIMD erf for float and none for double; its erfc is scalar for both. In blocks, because d1 and the
// square root are used twice and an expression would compute them twice.
template <class T> void black_scholes(std::size_t n, market<T> const& options, T* out) {
    constexpr Index block = 512;
    using buffer = Eigen::Array<T, block, 1>;
    T const drift = options.rate + options.volatility * options.volatility / 2;
    T const root_half = T(0.70710678118654752440);
    auto const run = [&](Index count, Index at) {
        auto const part = [&](T const* data) { return Eigen::Map<vector<T> const>(data + at, count); };
        auto const spot = part(options.spot);
        auto const strike = part(options.strike);
        auto const time = part(options.time);
        buffer deviation_memory;
        buffer d1_memory;
        auto deviation = deviation_memory.head(count);
        auto d1 = d1_memory.head(count);
        deviation = options.volatility * time.sqrt();
        d1 = ((spot / strike).log() + drift * time) / deviation;
        Eigen::Map<vector<T>>(out + at, count) =
            spot * (T(0.5) + T(0.5) * (d1 * root_half).erf()) -
            strike * (-options.rate * time).exp() * (T(0.5) + T(0.5) * ((d1 - deviation) * root_half).erf());
    };
    Index const total = static_cast<Index>(n);
    for (Index at = 0; at < total; at += block) run(std::min(block, total - at), at);
}

template <class T> void slice_1d(std::size_t n, T const* x, T s, T* out) {
    using spaced = Eigen::Map<vector<T> const, Eigen::Unaligned, Eigen::InnerStride<2>>;
    to(out, n) = spaced(x, static_cast<Index>(n)) + s;
}

template <class T> void softmax_rows(std::size_t rows, std::size_t columns, T const* x, T* out) {
    auto from = in(x, rows, columns);
    auto result = to(out, rows, columns);
    vector<T> const largest = from.rowwise().maxCoeff();
    result = (from.colwise() - largest).exp();
    vector<T> const scale = result.rowwise().sum().inverse();
    result.colwise() *= scale;
}

template <class T>
void layer_norm_rows(std::size_t rows, std::size_t columns, T const* x, T const* gain, T const* bias, T* out) {
    auto from = in(x, rows, columns);
    auto result = to(out, rows, columns);
    vector<T> const mean = from.rowwise().mean();
    result = from.colwise() - mean;
    vector<T> const scale = (result.square().rowwise().mean() + layer_norm_epsilon<T>).rsqrt();
    result = ((result.colwise() * scale).rowwise() * in_row(gain, columns)).rowwise() + in_row(bias, columns);
}

template <class T> void standardize_columns(std::size_t rows, std::size_t columns, T const* x, T* out) {
    auto from = in(x, rows, columns);
    row<T> const mean = from.colwise().mean();
    row<T> const scale = (from.rowwise() - mean).square().colwise().mean().rsqrt();
    to(out, rows, columns) = (from.rowwise() - mean).rowwise() * scale;
}

template <class T> void transpose_add(std::size_t rows, std::size_t columns, T const* x, T const* y, T* out) {
    to(out, rows, columns) = in(x, columns, rows).transpose() + in(y, rows, columns);
}

template <class T> void slice_2d(std::size_t rows, std::size_t columns, T const* x, T s, T* out) {
    using spaced = Eigen::Map<matrix<T> const, Eigen::Unaligned, Eigen::Stride<Dynamic, 3>>;
    Index const height = static_cast<Index>(slice_2d_rows(rows));
    Index const width = static_cast<Index>(slice_2d_columns(columns));
    to(out, slice_2d_rows(rows), slice_2d_columns(columns)) =
        spaced(x + 1, height, width, Eigen::Stride<Dynamic, 3>(2 * static_cast<Index>(columns), 3)) + s;
}

template <class T> void triad(std::size_t n, T s, T const* b, T const* c, T* a) { to(a, n) = in(b, n) + s * in(c, n); }

template <class T> void softmax_by_row(std::size_t rows, std::size_t columns, T const* x, T* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        auto from = in(x + i * columns, columns);
        auto result = to(out + i * columns, columns);
        result = (from - from.maxCoeff()).exp();
        result *= 1 / result.sum();
    }
}

template <class T>
void layer_norm_by_row(std::size_t rows, std::size_t columns, T const* x, T const* gain, T const* bias, T* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        auto from = in(x + i * columns, columns);
        T const mean = from.mean();
        T const variance = (from - mean).square().mean();
        T const scale = 1 / std::sqrt(variance + layer_norm_epsilon<T>);
        to(out + i * columns, columns) = (from - mean) * scale * in(gain, columns) + in(bias, columns);
    }
}

template <class T> void standardize_by_row(std::size_t rows, std::size_t columns, T const* x, T* out) {
    vector<T> mean = vector<T>::Zero(static_cast<Index>(columns));
    vector<T> scale = mean;
    T const weight = 1 / static_cast<T>(rows);
    for (std::size_t i = 0; i < rows; ++i) mean += in(x + i * columns, columns);
    mean *= weight;
    for (std::size_t i = 0; i < rows; ++i) scale += (in(x + i * columns, columns) - mean).square();
    scale = (scale * weight).rsqrt();
    for (std::size_t i = 0; i < rows; ++i) to(out + i * columns, columns) = (in(x + i * columns, columns) - mean) * scale;
}

} // namespace

template <class T> competitor<T> eigen() {
    return {.name = "eigen",
            .version = BENCH_EIGEN,
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
template competitor<float> eigen<float>();
template competitor<double> eigen<double>();

template <class T> competitor<T> eigen_rows() {
    competitor<T> result{};
    result.name = "eigen_rows";
    result.version = BENCH_EIGEN;
    result.softmax_rows = softmax_by_row<T>;
    result.layer_norm_rows = layer_norm_by_row<T>;
    result.standardize_columns = standardize_by_row<T>;
    return result;
}
template competitor<float> eigen_rows<float>();
template competitor<double> eigen_rows<double>();

} // namespace baselines
