// What tracexpr is measured against: the same workloads written with plain loops, Eigen and xtensor, as functions over
// pointers that write into memory the caller provides. All matrices are row-major. Knows nothing of tracexpr.
#pragma once

#include <cstddef>

namespace baselines {

// European call options: one spot price, strike price and time to expiry each; one rate and volatility for all.
template <class T> struct market {
    T const* spot;
    T const* strike;
    T const* time;
    T rate;
    T volatility;
};

template <class T> inline constexpr T layer_norm_epsilon = T(1e-5);

// One competitor's kernels. A null pointer: it has no variant of its own for that workload.
template <class T> struct competitor {
    char const* name;
    char const* version; // of the library, or of the compiler where there is no library

    // n elements each; the reductions write one number.
    void (*axpy)(std::size_t n, T a, T const* x, T const* y, T* out);            // a * x + y
    void (*expmix)(std::size_t n, T const* x, T const* y, T* out);               // exp(-x * x) * y + tanh(x)
    void (*sqdiff)(std::size_t n, T const* x, T const* y, T* out);               // sum((x - y)^2)
    void (*sum)(std::size_t n, T const* x, T* out);                              // sum(x)
    void (*black_scholes)(std::size_t n, market<T> const& options, T* out);      // price of each call option
    void (*slice_1d)(std::size_t n, T const* x, T s, T* out);                    // x[::2] + s; x has 2 n elements

    // (rows, columns) each unless stated.
    void (*softmax_rows)(std::size_t rows, std::size_t columns, T const* x, T* out);
    void (*layer_norm_rows)(std::size_t rows, std::size_t columns, T const* x, T const* gain, T const* bias, T* out);
    void (*standardize_columns)(std::size_t rows, std::size_t columns, T const* x, T* out); // (x - mean(x, 0)) / std(x, 0)
    void (*transpose_add)(std::size_t rows, std::size_t columns, T const* x, T const* y, T* out); // x is (columns, rows)
    void (*slice_2d)(std::size_t rows, std::size_t columns, T const* x, T s, T* out); // x[::2, 1::3] + s; x is (rows, columns)

    // b + s * c: what memory of this footprint gives.
    void (*triad)(std::size_t n, T s, T const* b, T const* c, T* a);
};

// Extents of x[::2, 1::3].
constexpr std::size_t slice_2d_rows(std::size_t rows) { return (rows + 1) / 2; }
constexpr std::size_t slice_2d_columns(std::size_t columns) { return (columns + 1) / 3; }

template <class T> competitor<T> plain();        // loops, compiled with -ffast-math
template <class T> competitor<T> eigen();        // whole-array expressions
template <class T> competitor<T> eigen_rows();   // the row and column workloads, a row at a time
template <class T> competitor<T> xtensor();      // whole-array expressions over xsimd
template <class T> competitor<T> xtensor_rows(); // the row and column workloads, a row at a time
template <class T> competitor<T> reference();    // every step in long double: for checking, not for measuring

} // namespace baselines
