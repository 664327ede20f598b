// The workloads of baselines/baselines.hpp as tracexpr functions.
#pragma once

#include <tracexpr/tracexpr.hpp>

namespace kernels {

inline tx::function axpy{[](auto a, auto x, auto y) { return a * x + y; }};
inline tx::function half_axpy{[](auto x, auto y) { return 0.5 * x + y; }};
inline tx::function expmix{[](auto x, auto y) { return tx::exp(-x * x) * y + tx::tanh(x); }};
inline tx::function sqdiff{[](auto x, auto y) { return tx::sum(tx::square(x - y)); }};
inline tx::function sum{[](auto x) { return tx::sum(x); }};
inline tx::function black_scholes{[](auto spot, auto strike, auto time, auto rate, auto volatility) {
    auto const normal_cdf = [](auto x) { return 0.5 + 0.5 * tx::erf(x * 0.70710678118654752440); };
    auto deviation = volatility * tx::sqrt(time);
    auto d1 = (tx::log(spot / strike) + (rate + volatility * volatility / 2) * time) / deviation;
    return spot * normal_cdf(d1) - strike * tx::exp(-rate * time) * normal_cdf(d1 - deviation);
}};
// Of 20 ops.
inline tx::function chain_20{[](auto x, auto y) {
    auto z = x;
    for (int k = 0; k < 5; ++k) z = tx::sqrt(z * z + y) - x;
    return z;
}};
inline tx::function option_price{[](auto spot, auto strike, auto time) { return black_scholes(spot, strike, time, 0.02f, 0.3f); }};

inline tx::function column_sums{[](auto x) { return tx::sum(x, tx::axis<0>); }};
inline tx::function row_sums{[](auto x) { return tx::sum(x, tx::axis<1>); }};

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

} // namespace kernels
