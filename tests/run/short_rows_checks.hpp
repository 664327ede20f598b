// This file checks rows that are shorter than a vector or little longer: broadcast, reduced, and both, against plain loops. All
// numbers are small integers, so that sums are exact in any order.
#pragma once

#include <doctest/doctest.h>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using tx::axis, tx::dyn, tx::shape, tx::tensor;

constexpr auto affine = [](auto x, auto w, auto b) { return x * w + b; };
constexpr auto along_rows = [](auto x, auto w, auto b) { return std::tuple{tx::sum(x * b, axis<-1>), tx::max(x + w, axis<-1>, tx::keepdims), tx::min(x, axis<-1>)}; };
constexpr auto down_columns = [](auto x, auto, auto b) { return std::tuple{tx::sum(x + b, axis<0>), tx::max(x, axis<0>), tx::prod(x - x + 1, axis<0>)}; };
constexpr auto centred = [](auto x, auto, auto) { return tx::maximum(x, 0) - tx::max(x, axis<0>) + tx::sum(x, axis<1>, tx::keepdims); };

template <class T, class Tensor> void fill(Tensor& x, int seed) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<T>((i * 7 + seed) % 11 - (std::is_signed_v<T> ? 5 : 0));
}
template <class T> struct expected {
    std::int64_t rows, n;
    std::vector<double> x, w, b;
    double at(std::int64_t i, std::int64_t j) const { return x[static_cast<std::size_t>(i * n + j)]; }
    template <class Out, class F> bool agrees(Out const& out, std::int64_t outer, std::int64_t inner, F value) const {
        if (out.size() != outer * inner) return false;
        for (std::int64_t i = 0; i < outer; ++i)
            for (std::int64_t j = 0; j < inner; ++j)
                if (out.data()[i * inner + j] != static_cast<T>(static_cast<std::int64_t>(value(i, j)))) return false;
        return true;
    }
    template <class F> static double fold(std::int64_t count, double start, F f) {
        for (std::int64_t k = 0; k < count; ++k) start = f(start, k);
        return start;
    }
};
template <class T, class X, class W, class B> void check(X const& x, W const& w, B const& b) {
    std::int64_t const rows = x.extent(0), n = x.extent(1);
    auto const doubles = [](auto const& a) { return std::vector<double>(a.data(), a.data() + a.size()); };
    expected<T> const e{rows, n, doubles(x), doubles(w), doubles(b)};
    auto const w_at = [&](std::int64_t i) { return e.w[static_cast<std::size_t>(i)]; };
    auto const b_at = [&](std::int64_t j) { return e.b[static_cast<std::size_t>(j)]; };
    auto const row_sum = [&](std::int64_t i, auto value) { return e.fold(n, 0, [&](double s, std::int64_t j) { return s + value(i, j); }); };
    auto const column_max = [&](std::int64_t j) { return e.fold(rows, -1e9, [&](double s, std::int64_t i) { return std::max(s, e.at(i, j)); }); };
    CAPTURE(rows);
    CAPTURE(n);
    static tx::function f{affine};
    static tx::function g{along_rows};
    static tx::function h{down_columns};
    static tx::function k{centred};
    CHECK(e.agrees(f(x, w, b), rows, n, [&](auto i, auto j) { return e.at(i, j) * w_at(i) + b_at(j); }));
    auto const [sums, largest, least] = g(x, w, b);
    CHECK(e.agrees(sums, rows, 1, [&](auto i, auto) { return row_sum(i, [&](auto, auto j) { return e.at(i, j) * b_at(j); }); }));
    CHECK(e.agrees(largest, rows, 1, [&](auto i, auto) { return e.fold(n, -1e9, [&](double s, std::int64_t j) { return std::max(s, e.at(i, j) + w_at(i)); }); }));
    CHECK(e.agrees(least, rows, 1, [&](auto i, auto) { return e.fold(n, 1e9, [&](double s, std::int64_t j) { return std::min(s, e.at(i, j)); }); }));
    auto const [totals, tops, ones] = h(x, w, b);
    CHECK(e.agrees(totals, 1, n, [&](auto, auto j) { return e.fold(rows, 0, [&](double s, std::int64_t i) { return s + e.at(i, j) + b_at(j); }); }));
    CHECK(e.agrees(tops, 1, n, [&](auto, auto j) { return column_max(j); }));
    CHECK(e.agrees(ones, 1, n, [](auto, auto) { return 1; }));
    CHECK(e.agrees(k(x, w, b), rows, n, [&](auto i, auto j) { return std::max(e.at(i, j), 0.0) - column_max(j) + row_sum(i, [&](auto a, auto c) { return e.at(a, c); }); }));
}
template <class T, std::int64_t N> void check_open(std::initializer_list<std::int64_t> all_rows) {
    tensor<T, shape<N>> b;
    fill<T>(b, 3);
    for (std::int64_t const rows : all_rows) {
        auto x = tx::zeros<T, shape<dyn, N>>(rows, N);
        auto w = tx::zeros<T, shape<dyn, 1>>(rows, 1);
        fill<T>(x, 1), fill<T>(w, 2);
        check<T>(x, w, b);
    }
}
template <class T, std::int64_t Rows, std::int64_t N> void check_known() {
    tensor<T, shape<N>> b;
    tensor<T, shape<Rows, N>> x;
    tensor<T, shape<Rows, 1>> w;
    fill<T>(b, 3), fill<T>(x, 1), fill<T>(w, 2);
    check<T>(x, w, b);
}

} // namespace
