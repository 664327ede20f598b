// This file tests functions of a reduction's results, which may be computed in registers right after the reduction, against plain
// loops.
#include <tracexpr/tracexpr.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

using tx::axis, tx::dyn, tx::expand_dims, tx::shape, tx::tensor;

namespace {

template <class T, class Shape, class... N> tensor<T, Shape> numbers(int seed, N... extents) {
    auto out = tx::zeros<T, Shape>(extents...);
    for (std::int64_t k = 0; k < out.size(); ++k)
        out.mutable_data()[k] = static_cast<T>(static_cast<double>((k * 37 + seed * 11 + k / 7) % 23) / 8 - 1.25);
    return out;
}
template <class X> double at(X const& x, std::int64_t k) { return static_cast<double>(x.data()[k]); }
template <class T> bool close(T got, double want) {
    double const tolerance = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    return std::abs(static_cast<double>(got) - want) <= tolerance * std::max(1.0, std::abs(want));
}

constexpr auto lengths = [](auto x) { return tx::sqrt(tx::sum(x * x, axis<0>)); };
template <class X> int wrong_lengths(X const& x) {
    auto const y = tx::function{lengths}(x);
    int wrong = 0;
    for (std::int64_t j = 0; j < x.extent(1); ++j) {
        double sum = 0;
        for (std::int64_t i = 0; i < x.extent(0); ++i) sum += at(x, i * x.extent(1) + j) * at(x, i * x.extent(1) + j);
        wrong += !close(y.data()[j], std::sqrt(sum));
    }
    return wrong;
}

// Two reductions, of which what is behind them needs both; one is a result, too.
constexpr auto moments = [](auto x) {
    auto const mean = tx::mean(x, axis<0>);
    return std::tuple{mean, tx::mean(x * x, axis<0>) - mean * mean, tx::max(x, axis<0>)};
};
template <class X> int wrong_moments(X const& x) {
    auto const [mean, variance, most] = tx::function{moments}(x);
    std::int64_t const n = x.extent(0), m = x.extent(1);
    int wrong = 0;
    for (std::int64_t j = 0; j < m; ++j) {
        double sum = 0, squares = 0, largest = -1e9;
        for (std::int64_t i = 0; i < n; ++i) {
            double const v = at(x, i * m + j);
            sum += v, squares += v * v, largest = std::max(largest, v);
        }
        double const count = static_cast<double>(n);
        wrong += !close(mean.data()[j], sum / count) + !close(variance.data()[j], squares / count - sum * sum / count / count) +
                 !close(most.data()[j], largest);
    }
    return wrong;
}

// A convolution with a bias for each channel, and what is added to each place.
constexpr auto layer = [](auto x, auto w, auto b, auto more) {
    auto const windows = tx::sliding_window_view<3, 3>(x, axis<1, 2>);
    return tx::relu(tx::einsum<"chwab,ocab->ohw">(windows, w) + expand_dims<1, 2>(b)) + more;
};
template <class X, class W, class B, class M> int wrong_layers(X const& x, W const& w, B const& b, M const& more) {
    auto const y = tx::function{layer}(x, w, b, more);
    std::int64_t const channels = x.extent(0), height = x.extent(1), width = x.extent(2), outs = w.extent(0);
    int wrong = 0;
    for (std::int64_t o = 0; o < outs; ++o)
        for (std::int64_t i = 0; i + 2 < height; ++i)
            for (std::int64_t j = 0; j + 2 < width; ++j) {
                double sum = at(b, o);
                for (std::int64_t c = 0; c < channels; ++c)
                    for (std::int64_t p = 0; p < 9; ++p)
                        sum += at(x, (c * height + i + p / 3) * width + j + p % 3) * at(w, (o * channels + c) * 9 + p);
                std::int64_t const here = i * (width - 2) + j;
                wrong += !close(y.data()[o * (height - 2) * (width - 2) + here], std::max(sum, 0.0) + at(more, here));
            }
    return wrong;
}

} // namespace

TEST_CASE("epilogues: lengths of vectors") {
    CHECK(wrong_lengths(numbers<float, shape<3, 1000>>(1)) == 0);
    CHECK(wrong_lengths(numbers<float, shape<3, 7>>(1)) == 0);
    CHECK(wrong_lengths(numbers<float, shape<5, 37>>(2)) == 0);
    CHECK(wrong_lengths(numbers<double, shape<3, 333>>(3)) == 0);
    CHECK(wrong_lengths(numbers<double, shape<2, 1>>(3)) == 0);
    CHECK(wrong_lengths(numbers<float, shape<0, 9>>(3)) == 0);
    CHECK(wrong_lengths(numbers<tx::half, shape<4, 70>>(4)) == 0);
    for (std::int64_t const n : {0, 1, 2, 15, 16, 17, 50, 1000})
        CHECK(wrong_lengths(numbers<float, shape<dyn, dyn>>(5, 3, n)) == 0);
}
TEST_CASE("epilogues: of several reductions, whose results are needed elsewhere, too") {
    CHECK(wrong_moments(numbers<float, shape<40, 100>>(1)) == 0);
    CHECK(wrong_moments(numbers<double, shape<4, 33>>(2)) == 0);
    CHECK(wrong_moments(numbers<double, shape<300, 20>>(2)) == 0); // more rows than one block of sums
    CHECK(wrong_moments(numbers<float, shape<dyn, dyn>>(2, 9, 24)) == 0);
}
TEST_CASE("epilogues: of tiles along two axes, with what is the same along one") {
    CHECK(wrong_layers(numbers<float, shape<3, 12, 40>>(1), numbers<float, shape<5, 3, 3, 3>>(2), numbers<float, shape<5>>(3),
                       numbers<float, shape<10, 38>>(4)) == 0);
    CHECK(wrong_layers(numbers<double, shape<1, 5, 9>>(1), numbers<double, shape<2, 1, 3, 3>>(2), numbers<double, shape<2>>(3),
                       numbers<double, shape<3, 7>>(4)) == 0);
}
TEST_CASE("epilogues: dtypes that change on the way, and complex numbers") {
    auto const given = numbers<std::int32_t, shape<6, 50>>(1);
    auto const big = tx::function{[](auto x) { return tx::sum(x * 3, axis<0>) > 20; }}(given);
    auto const shares = tx::function{[](auto x) { return tx::cast<double>(tx::sum(x, axis<0>)) / 3; }}(given);
    auto complexes = tx::zeros<std::complex<float>, shape<6, 50>>();
    for (std::int64_t k = 0; k < 300; ++k)
        complexes.mutable_data()[k] = {static_cast<float>(given.data()[k]), 2 * static_cast<float>(given.data()[k])};
    auto const turned = tx::function{[](auto z) { return tx::conj(tx::sum(z * z, axis<0>)); }}(complexes);
    for (std::int64_t j = 0; j < 50; ++j) {
        std::int32_t sum = 0;
        std::complex<double> squares;
        for (std::int64_t i = 0; i < 6; ++i) {
            std::int32_t const v = given.data()[i * 50 + j];
            sum += v;
            squares += std::complex<double>(v, 2 * v) * std::complex<double>(v, 2 * v);
        }
        CHECK(big.data()[j] == (3 * sum > 20));
        CHECK(close(shares.data()[j], sum / 3.0));
        CHECK(close(turned.data()[j].real(), squares.real()));
        CHECK(close(turned.data()[j].imag(), -squares.imag()));
    }
}
TEST_CASE("epilogues: of one of two reductions, beside a complex one") {
    using complex = std::complex<float>;
    auto const given = numbers<float, shape<6, 160>>(1);
    auto const [roots, sums] = tx::function{[](auto x) {
        auto const squares = tx::sum(x * x, axis<0>);
        return std::pair{tx::sqrt(squares), tx::sum(tx::cast<complex>(x) * complex(1, 2), axis<0>)};
    }}(given);
    auto const [others, largest] = tx::function{[](auto x) { // behind the second one
        return std::pair{tx::max(x, axis<0>), tx::sqrt(tx::sum(x * x, axis<0>))};
    }}(given);
    for (std::int64_t j = 0; j < 160; ++j) {
        double sum = 0, squares = 0, most = -1e9;
        for (std::int64_t i = 0; i < 6; ++i) {
            double const v = at(given, i * 160 + j);
            sum += v, squares += v * v, most = std::max(most, v);
        }
        CHECK(close(roots.data()[j], std::sqrt(squares)));
        CHECK(close(sums.data()[j].real(), sum));
        CHECK(close(sums.data()[j].imag(), 2 * sum));
        CHECK(close(others.data()[j], most));
        CHECK(close(largest.data()[j], std::sqrt(squares)));
    }
}
TEST_CASE("epilogues: the result lies where what is read behind the reduction lies") {
    tx::static_function const step{[](auto y, auto x) { return y + tx::sqrt(tx::sum(x * x, axis<0>)); }};
    auto const x = numbers<float, shape<3, 70>>(1);
    auto y = numbers<float, shape<70>>(2);
    auto const first = step(y, x);
    step.into(y, y, x);
    for (std::int64_t j = 0; j < 70; ++j) CHECK(y.data()[j] == first.data()[j]);
}
TEST_CASE("epilogues: derivatives") {
    auto const given = numbers<double, shape<3, 30>>(1);
    auto const g = tx::grad([](auto x) { return tx::sum(tx::sqrt(tx::sum(x * x, axis<0>) + 1.0)); })(given);
    for (std::int64_t j = 0; j < 30; ++j) {
        double squares = 1;
        for (std::int64_t i = 0; i < 3; ++i) squares += at(given, i * 30 + j) * at(given, i * 30 + j);
        for (std::int64_t i = 0; i < 3; ++i) CHECK(close(g.data()[i * 30 + j], at(given, i * 30 + j) / std::sqrt(squares)));
    }
}
