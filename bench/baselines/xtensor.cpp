// The workloads in xtensor with xsimd: adapted pointers, no copies, noalias assignment.
#if !defined(XTENSOR_USE_XSIMD)
#define XTENSOR_USE_XSIMD
#endif
#if defined(__GNUC__) && !defined(__clang__) // g++ 12 warns about its own _mm512_undefined_ps, g++ 13 no longer (bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "baselines.hpp"

#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/views/xstrided_view.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#define BENCH_TEXT_OF(x) #x
#define BENCH_TEXT(x) BENCH_TEXT_OF(x)
#define BENCH_XTENSOR                                                                                                          \
    BENCH_TEXT(XTENSOR_VERSION_MAJOR) "." BENCH_TEXT(XTENSOR_VERSION_MINOR) "." BENCH_TEXT(XTENSOR_VERSION_PATCH) ", xsimd "    \
    BENCH_TEXT(XSIMD_VERSION_MAJOR) "." BENCH_TEXT(XSIMD_VERSION_MINOR) "." BENCH_TEXT(XSIMD_VERSION_PATCH)

namespace baselines {
namespace {

// std::move: given an lvalue, adapt would keep a reference to the pointer instead of the pointer.
template <class T> auto at(T* data, std::size_t n) {
    return xt::adapt(std::move(data), n, xt::no_ownership(), std::array<std::size_t, 1>{n});
}
template <class T> auto at(T* data, std::size_t rows, std::size_t columns) {
    return xt::adapt(std::move(data), rows * columns, xt::no_ownership(), std::array<std::size_t, 2>{rows, columns});
}

template <class T> void axpy(std::size_t n, T a, T const* x, T const* y, T* out) {
    auto result = at(out, n);
    xt::noalias(result) = a * at(x, n) + at(y, n);
}

template <class T> void expmix(std::size_t n, T const* x, T const* y, T* out) {
    auto const from = at(x, n);
    auto result = at(out, n);
    xt::noalias(result) = xt::exp(-from * from) * at(y, n) + xt::tanh(from);
}

template <class T> void sqdiff(std::size_t n, T const* x, T const* y, T* out) {
    *out = xt::sum(xt::square(at(x, n) - at(y, n)), xt::evaluation_strategy::immediate)();
}

template <class T> void sum(std::size_t n, T const* x, T* out) { *out = xt::sum(at(x, n), xt::evaluation_strategy::immediate)(); }

// In blocks, because d1 is used twice and an expression would compute it twice.
template <class T> void black_scholes(std::size_t n, market<T> const& options, T* out) {
    constexpr std::size_t block = 512;
    T const drift = options.rate + options.volatility * options.volatility / 2;
    T const root_half = T(0.70710678118654752440);
    T const half = T(0.5);
    alignas(64) T deviation_memory[block];
    alignas(64) T d1_memory[block];
    for (std::size_t first = 0; first < n; first += block) {
        std::size_t const count = std::min(block, n - first);
        auto const spot = at(options.spot + first, count);
        auto const strike = at(options.strike + first, count);
        auto const time = at(options.time + first, count);
        auto deviation = at(deviation_memory, count);
        auto d1 = at(d1_memory, count);
        auto result = at(out + first, count);
        xt::noalias(deviation) = options.volatility * xt::sqrt(time);
        xt::noalias(d1) = (xt::log(spot / strike) + drift * time) / deviation;
        xt::noalias(result) = spot * (half + half * xt::erf(d1 * root_half)) -
                              strike * xt::exp(-options.rate * time) * (half + half * xt::erf((d1 - deviation) * root_half));
    }
}

template <class T> void slice_1d(std::size_t n, T const* x, T s, T* out) {
    auto from = at(x, 2 * n);
    auto result = at(out, n);
    xt::noalias(result) = xt::view(from, xt::range(0, 2 * n, 2)) + s;
}

template <class T> void softmax_rows(std::size_t rows, std::size_t columns, T const* x, T* out) {
    auto from = at(x, rows, columns);
    auto result = at(out, rows, columns);
    xt::xtensor<T, 1> const largest = xt::amax(from, {1});
    xt::noalias(result) = xt::exp(from - xt::view(largest, xt::all(), xt::newaxis()));
    xt::xtensor<T, 1> const total = xt::sum(result, {1});
    result /= xt::view(total, xt::all(), xt::newaxis());
}

template <class T>
void layer_norm_rows(std::size_t rows, std::size_t columns, T const* x, T const* gain, T const* bias, T* out) {
    auto from = at(x, rows, columns);
    auto result = at(out, rows, columns);
    xt::xtensor<T, 1> const mean = xt::sum(from, {1}) / static_cast<T>(columns);
    xt::noalias(result) = from - xt::view(mean, xt::all(), xt::newaxis());
    xt::xtensor<T, 1> const variance = xt::sum(xt::square(result), {1}) / static_cast<T>(columns);
    xt::xtensor<T, 1> const scale = T(1) / xt::sqrt(variance + layer_norm_epsilon<T>);
    xt::noalias(result) = result * xt::view(scale, xt::all(), xt::newaxis()) * at(gain, columns) + at(bias, columns);
}

template <class T> void standardize_columns(std::size_t rows, std::size_t columns, T const* x, T* out) {
    auto from = at(x, rows, columns);
    auto result = at(out, rows, columns);
    xt::xtensor<T, 1> const mean = xt::sum(from, {0}) / static_cast<T>(rows);
    xt::noalias(result) = from - mean;
    xt::xtensor<T, 1> const variance = xt::sum(xt::square(result), {0}) / static_cast<T>(rows);
    xt::xtensor<T, 1> const scale = T(1) / xt::sqrt(variance);
    xt::noalias(result) = result * scale;
}

template <class T> void transpose_add(std::size_t rows, std::size_t columns, T const* x, T const* y, T* out) {
    auto result = at(out, rows, columns);
    xt::noalias(result) = xt::transpose(at(x, columns, rows)) + at(y, rows, columns);
}

template <class T> void slice_2d(std::size_t rows, std::size_t columns, T const* x, T s, T* out) {
    auto from = at(x, rows, columns);
    auto result = at(out, slice_2d_rows(rows), slice_2d_columns(columns));
    xt::noalias(result) = xt::view(from, xt::range(0, rows, 2), xt::range(1, columns, 3)) + s;
}

template <class T> void triad(std::size_t n, T s, T const* b, T const* c, T* a) {
    auto result = at(a, n);
    xt::noalias(result) = at(b, n) + s * at(c, n);
}

template <class T> void softmax_by_row(std::size_t rows, std::size_t columns, T const* x, T* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        auto const from = at(x + i * columns, columns);
        auto result = at(out + i * columns, columns);
        T const largest = xt::amax(from, xt::evaluation_strategy::immediate)();
        xt::noalias(result) = xt::exp(from - largest);
        T const scale = 1 / xt::sum(result, xt::evaluation_strategy::immediate)();
        result *= scale;
    }
}

template <class T>
void layer_norm_by_row(std::size_t rows, std::size_t columns, T const* x, T const* gain, T const* bias, T* out) {
    T const weight = 1 / static_cast<T>(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        auto const from = at(x + i * columns, columns);
        auto result = at(out + i * columns, columns);
        T const mean = xt::sum(from, xt::evaluation_strategy::immediate)() * weight;
        T const variance = xt::sum(xt::square(from - mean), xt::evaluation_strategy::immediate)() * weight;
        T const scale = 1 / std::sqrt(variance + layer_norm_epsilon<T>);
        xt::noalias(result) = (from - mean) * scale * at(gain, columns) + at(bias, columns);
    }
}

template <class T> void standardize_by_row(std::size_t rows, std::size_t columns, T const* x, T* out) {
    T const weight = 1 / static_cast<T>(rows);
    xt::xtensor<T, 1> mean = xt::zeros<T>({columns});
    xt::xtensor<T, 1> scale = mean;
    for (std::size_t i = 0; i < rows; ++i) xt::noalias(mean) += at(x + i * columns, columns);
    mean *= weight;
    for (std::size_t i = 0; i < rows; ++i) xt::noalias(scale) += xt::square(at(x + i * columns, columns) - mean);
    scale = T(1) / xt::sqrt(scale * weight);
    for (std::size_t i = 0; i < rows; ++i) {
        auto result = at(out + i * columns, columns);
        xt::noalias(result) = (at(x + i * columns, columns) - mean) * scale;
    }
}

} // namespace

template <class T> competitor<T> xtensor() {
    return {.name = "xtensor",
            .version = BENCH_XTENSOR,
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
template competitor<float> xtensor<float>();
template competitor<double> xtensor<double>();

template <class T> competitor<T> xtensor_rows() {
    competitor<T> result{};
    result.name = "xtensor_rows";
    result.version = BENCH_XTENSOR;
    result.softmax_rows = softmax_by_row<T>;
    result.layer_norm_rows = layer_norm_by_row<T>;
    result.standardize_columns = standardize_by_row<T>;
    return result;
}
template competitor<float> xtensor_rows<float>();
template competitor<double> xtensor_rows<double>();

} // namespace baselines
