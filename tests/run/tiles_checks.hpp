// This file compares what tiles compute with what the static executor computes.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

namespace tx::testing {

using vector_shape = tx::shape<tx::dyn>;
using matrix_shape = tx::shape<tx::dyn, tx::dyn>;

template <class Tensor> Tensor filled(Tensor out, unsigned seed) {
    std::mt19937 bits(seed);
    using T = typename Tensor::value_type;
    for (std::int64_t i = 0; i < out.size(); ++i)
        out.mutable_data()[i] = static_cast<T>(0.25 + static_cast<double>(bits() % 1000) / 1000);
    return out;
}
template <class T> auto vector(std::int64_t n, unsigned seed = 1) { return filled(tx::zeros<T, vector_shape>(n), seed); }
template <class T> auto matrix(std::int64_t m, std::int64_t n, unsigned seed = 1) { return filled(tx::zeros<T, matrix_shape>(m, n), seed); }

// Gives the distance in units in the last place. Compilers fuse a product with a sum where they optimise, routines always do.
// Numbers smaller than `least` count as `least`, as differences of numbers of that size do.
template <class Tensor> double distance(Tensor const& a, Tensor const& b, double least = 1e-3) {
    double most = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
        double const x = static_cast<double>(a.data()[i]), y = static_cast<double>(b.data()[i]);
        using T = typename Tensor::value_type;
        double const unit = std::is_floating_point_v<T> ? std::numeric_limits<T>::epsilon() * std::max(std::abs(y), least) : 1e-3;
        if (!(x == y)) most = std::max(most, std::abs(x - y) / unit);
        if (std::isnan(x) != std::isnan(y)) return std::numeric_limits<double>::infinity();
    }
    return most;
}

// Compares the same callable, traced by the compiler and when it is called.
template <class F, class... A> void check_close(double least, F const& f, A const&... a) {
    tx::function const known{f};
    tx::function const traced{f, tx::options{.jit = tx::jit::never}};
    static_assert(decltype(known)::is_static);
    auto const want = known(a...);
    auto got = traced(a...);
    REQUIRE(got.dimensions() == want.dimensions());
    CHECK(distance(got, want, least) <= 8);
    traced.into(got, a...);
    CHECK(distance(got, want, least) <= 8);
}

template <class F, class... A> void check_same(F const& f, A const&... a) { check_close(1e-3, f, a...); }

} // namespace tx::testing
