// This file tests row nests along the first and the last axes: normalisation over a batch, channel by channel, against plain
// loops in double.
#include <tracexpr/tracexpr.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

using tx::axis, tx::dyn, tx::expand_dims, tx::shape, tx::tensor;

namespace {

template <class T, class Shape, class... N> tensor<T, Shape> numbers(int seed, N... extents) {
    auto out = tx::zeros<T, Shape>(extents...);
    for (std::int64_t k = 0; k < out.size(); ++k)
        out.mutable_data()[k] = static_cast<T>(std::sin(static_cast<double>(k * k + seed)));
    return out;
}
template <class T> bool close(T got, double want) {
    double const tolerance = 256 * static_cast<double>(std::numeric_limits<T>::epsilon());
    return std::abs(static_cast<double>(got) - want) <= tolerance * std::max(1.0, std::abs(want));
}

// Means and variances over all but axis 1 are results, too.
constexpr auto batch_norm = [](auto x, auto gain, auto bias) {
    auto const mean = tx::mean(x, axis<0, 2>, tx::keepdims);
    auto const apart = x - mean;
    auto const variance = tx::mean(apart * apart, axis<0, 2>, tx::keepdims);
    return std::tuple{apart * (expand_dims<1>(gain) / tx::sqrt(variance + 1e-5)) + expand_dims<1>(bias), mean,
                      tx::squeeze(variance)};
};
// The mean without its axes, which comes back by an axis of its own.
constexpr auto centred = [](auto x) {
    auto const total = tx::sum(x, axis<0, 2>);
    return x * expand_dims<1>(total) + expand_dims<1>(tx::exp(total / 100));
};

template <class X, class G> int wrong_norms(X const& x, G const& gain, G const& bias) {
    using T = typename X::value_type;
    auto const [y, mean, variance] = tx::function{batch_norm}(x, gain, bias);
    auto const c = tx::function{centred}(x);
    std::int64_t const n = x.extent(0), channels = x.extent(1), m = x.extent(2);
    int wrong = 0;
    for (std::int64_t k = 0; k < channels; ++k) {
        auto const each = [&](auto f) {
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < m; ++j) f((i * channels + k) * m + j);
        };
        double sum = 0, squares = 0;
        each([&](std::int64_t at) { sum += static_cast<double>(x.data()[at]); });
        double const count = static_cast<double>(n * m), average = sum / count;
        each([&](std::int64_t at) { squares += std::pow(static_cast<double>(x.data()[at]) - average, 2); });
        double const scale = static_cast<double>(gain.data()[k]) / std::sqrt(squares / count + 1e-5);
        wrong += !close(mean.data()[k], average) + !close(variance.data()[k], squares / count);
        each([&](std::int64_t at) {
            double const v = static_cast<double>(x.data()[at]);
            wrong += !close(y.data()[at], (v - average) * scale + static_cast<double>(bias.data()[k]));
            wrong += !close(c.data()[at], static_cast<double>(static_cast<T>(sum)) * v + std::exp(sum / 100));
        });
    }
    return wrong;
}
template <class T, std::int64_t N, std::int64_t C, std::int64_t M> int wrong_known() {
    return wrong_norms(numbers<T, shape<N, C, M>>(1), numbers<T, shape<C>>(2), numbers<T, shape<C>>(3));
}

} // namespace

TEST_CASE("nests along axes: a batch of known extents") {
    CHECK(wrong_known<float, 4, 6, 196>() == 0);
    CHECK(wrong_known<float, 3, 5, 32>() == 0);
    CHECK(wrong_known<float, 3, 5, 31>() == 0); // rows that are shorter
    CHECK(wrong_known<double, 2, 7, 77>() == 0);
    CHECK(wrong_known<float, 1, 3, 100>() == 0);
    CHECK(wrong_known<float, 5, 1, 64>() == 0);
    CHECK(wrong_known<float, 300, 2, 40>() == 0);
}
TEST_CASE("nests along axes: a batch of unknown extents") {
    for (auto const [n, channels, m] : {std::array<std::int64_t, 3>{4, 6, 196}, {3, 5, 7}, {1, 1, 1}, {2, 3, 1}, {9, 2, 64}})
        CHECK(wrong_norms(numbers<float, shape<dyn, dyn, dyn>>(1, n, channels, m), numbers<float, shape<dyn>>(2, channels),
                          numbers<float, shape<dyn>>(3, channels)) == 0);
}
TEST_CASE("nests along axes: values on the way, and gradients") {
    auto const given = numbers<double, shape<3, 4, 40>>(1);
    // What is stored between two loops of the nest is a row of it.
    auto const loss = [](auto x) {
        auto const mean = tx::mean(x, axis<0, 2>, tx::keepdims);
        auto const apart = tx::exp(x - mean);
        return tx::sum(apart / tx::sum(apart, axis<0, 2>, tx::keepdims) * x);
    };
    auto const g = tx::grad(loss)(given);
    tx::function const value{loss};
    for (std::int64_t k : {0, 50, 111, 479}) {
        auto up = given, down = given;
        double const step = 1e-5;
        up.mutable_data()[k] += step, down.mutable_data()[k] -= step;
        double const slope = (*value(up).data() - *value(down).data()) / (2 * step);
        CHECK(std::abs(g.data()[k] - slope) <= 1e-8);
    }
}
TEST_CASE("nests along axes: equal extents, of which one axis is put where another was") {
    constexpr std::int64_t n = 40;
    // What is made of the largest of each channel has the channels last; then they are the rows' axis.
    auto const given = numbers<float, shape<n, n, n>>(1);
    auto const weights = numbers<float, shape<n, n>>(2);
    auto const [v, y] = tx::function{[](auto x, auto w) {
        auto const part = w * expand_dims<1>(tx::max(x, axis<0, 2>));
        return std::pair{part, x * expand_dims<2>(part)};
    }}(given, weights);
    double largest[n];
    for (std::int64_t c = 0; c < n; ++c) {
        largest[c] = -2;
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                largest[c] = std::max(largest[c], static_cast<double>(given.data()[(i * n + c) * n + j]));
    }
    int wrong = 0;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double const part = static_cast<double>(weights.data()[i * n + j]) * largest[i];
            wrong += !close(v.data()[i * n + j], part);
            for (std::int64_t k = 0; k < n; ++k)
                wrong += !close(y.data()[(i * n + j) * n + k], static_cast<double>(given.data()[(i * n + j) * n + k]) * part);
        }
    CHECK(wrong == 0);
}
