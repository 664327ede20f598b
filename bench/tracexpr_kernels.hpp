// The workloads of baselines/baselines.hpp as tracexpr functions, and how one of them is registered next to its competitors.
#pragma once

#include "harness.hpp"

#include <tracexpr/tracexpr.hpp>

#include <cstdint>
#include <span>

namespace kernels {

template <class T> using vector = tx::tensor<T, tx::shape<tx::dyn>>;
template <class T, std::size_t Rows, std::size_t Columns>
using matrix = tx::tensor<T, tx::shape<static_cast<std::int64_t>(Rows), static_cast<std::int64_t>(Columns)>>;

template <class T, std::size_t N> using fixed_vector = tx::tensor<T, tx::shape<static_cast<std::int64_t>(N)>>;

// Tensors of n elements.
template <class Vector> Vector uniform(std::size_t n, double low, double high, std::uint32_t seed) {
    auto const from = harness::uniform<typename Vector::value_type>(n, low, high, seed);
    return Vector(tx::from_data<tx::shape<tx::dyn>>(from.data(), static_cast<std::int64_t>(n)));
}
template <class T, std::size_t Rows, std::size_t Columns> matrix<T, Rows, Columns> uniform(double low, double high, std::uint32_t seed) {
    return tx::reshape<static_cast<std::int64_t>(Rows), static_cast<std::int64_t>(Columns)>(uniform<fixed_vector<T, Rows * Columns>>(Rows * Columns, low, high, seed));
}

inline tx::function axpy{[](auto a, auto x, auto y) { return a * x + y; }};
inline tx::function expmix{[](auto x, auto y) { return tx::exp(-x * x) * y + tx::tanh(x); }};
inline tx::function sqdiff{[](auto x, auto y) { return tx::sum(tx::square(x - y)); }};
inline tx::function sum{[](auto x) { return tx::sum(x); }};
inline tx::function black_scholes{[](auto spot, auto strike, auto time, auto rate, auto volatility) {
    auto const normal_cdf = [](auto x) { return 0.5 + 0.5 * tx::erf(x * 0.70710678118654752440); };
    auto deviation = volatility * tx::sqrt(time);
    auto d1 = (tx::log(spot / strike) + (rate + volatility * volatility / 2) * time) / deviation;
    return spot * normal_cdf(d1) - strike * tx::exp(-rate * time) * normal_cdf(d1 - deviation);
}};

inline tx::function softmax_rows{[](auto x) { return tx::softmax(x, tx::axis<-1>); }};
inline tx::function layer_norm_rows{[](auto x, auto gain, auto bias) {
    auto centred = x - tx::mean(x, tx::axis<-1>, tx::keepdims);
    auto variance = tx::mean(tx::square(centred), tx::axis<-1>, tx::keepdims);
    return centred * tx::rsqrt(variance + 1e-5) * gain + bias;
}};
inline tx::function standardize_columns{[](auto x) { return (x - tx::mean(x, tx::axis<0>)) / tx::std(x, tx::axis<0>); }};

inline tx::function slice_1d{[](auto x, auto s) { return tx::slice(x, tx::range<tx::open, tx::open, 2>) + s; }};
inline tx::function slice_2d{[](auto x, auto s) {
    return tx::slice(x, tx::range<tx::open, tx::open, 2>, tx::range<1, tx::open, 3>) + s;
}};
inline tx::function transpose_add{[](auto x, auto y) { return tx::transpose(x) + y; }};

inline tx::function matmul{[](auto a, auto b) { return tx::matmul(a, b); }};
inline tx::function matmul_chain{[](auto a, auto b, auto c, auto d) { return tx::matmul(tx::matmul(tx::matmul(a, b), c), d); }};
inline tx::function relu_matmul_add{[](auto a, auto b, auto c) { return tx::relu(tx::matmul(a, b)) + c; }};
inline tx::function dot_axpy{[](auto x, auto y) { return tx::dot(x, y) * x + y; }};
inline tx::function half_axpy{[](auto x, auto y) { return 0.5 * x + y; }};

// A competitor in the sense of baselines/small.hpp.
template <class T> struct small {
    static constexpr char const* name = "tracexpr";
    template <int N> using matrix = tx::tensor<T, tx::shape<N, N>>;
    template <int N> using vector = tx::tensor<T, tx::shape<N>>;

    template <int N> static void matmul(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) { kernels::matmul.into(out, a, b); }
    template <int N>
    static void chain(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N> const& d, matrix<N>& out) {
        kernels::matmul_chain.into(out, a, b, c, d);
    }
    template <int N> static void layer(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N>& out) {
        kernels::relu_matmul_add.into(out, a, b, c);
    }
    template <int N> static void dot_axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) {
        kernels::dot_axpy.into(out, x, y);
    }
    template <int N> static void axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) { kernels::half_axpy.into(out, x, y); }
};

// Where competitors store what f.into(out, ...) does: at the same addresses, on whose distances time depends too.
template <class T, class Shape> std::span<T> elements(tx::tensor<T, Shape>& out) { return {out.mutable_data(), static_cast<std::size_t>(out.size())}; }

// Registers f.into(out, arguments...) as "tracexpr", after comparing its result with `expected` unless that is empty. `f` and
// `out` must live until the benchmarks have run.
template <class F, class T, class Shape, class... Arguments>
void add(harness::subject const& what, harness::buffer<T> const& expected, F& f, tx::tensor<T, Shape>& out,
         Arguments const&... arguments) {
    f.into(out, arguments...);
    if (!expected.empty())
        harness::require_equal(what.name + "/tracexpr", expected, harness::buffer<T>(out.data(), out.data() + out.size()));
    harness::add(what, "tracexpr", [&f, &out, arguments...] { f.into(out, arguments...); });
}

} // namespace kernels
