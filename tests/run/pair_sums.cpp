// This file tests sums of all pairs over either axis, against plain loops in double; and that the second sum isn't computed where
// it equals the first, or its negative.
#include <tracexpr/tracexpr.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

using tx::axis, tx::dyn, tx::expand_dims, tx::shape, tx::tensor;

namespace {

template <class T, class Shape, class... N> tensor<T, Shape> numbers(int seed, N... extents) {
    auto out = tx::zeros<T, Shape>(extents...);
    for (std::int64_t k = 0; k < out.size(); ++k)
        out.mutable_data()[k] = static_cast<T>(std::sin(static_cast<double>(k * k + 3 * seed)));
    return out;
}
template <class T> bool close(T got, double want) {
    double const tolerance = 512 * static_cast<double>(std::numeric_limits<T>::epsilon());
    return std::abs(static_cast<double>(got) - want) <= tolerance * std::max(1.0, std::abs(want));
}

// f(x[i], x[j]) summed over j, and over i.
template <class X, class F, class G> int wrong_sums(X const& x, F f, G plain) {
    auto const [over_j, over_i] = tx::function{[f](auto v) {
        auto const pairs = f(expand_dims<1>(v), expand_dims<0>(v));
        return std::tuple{tx::sum(pairs, axis<1>), tx::sum(pairs, axis<0>)};
    }}(x);
    int wrong = 0;
    for (std::int64_t i = 0; i < x.size(); ++i) {
        double first = 0, second = 0;
        for (std::int64_t j = 0; j < x.size(); ++j) {
            first += plain(static_cast<double>(x.data()[i]), static_cast<double>(x.data()[j]));
            second += plain(static_cast<double>(x.data()[j]), static_cast<double>(x.data()[i]));
        }
        wrong += !close(over_j.data()[i], first) + !close(over_i.data()[i], second);
    }
    return wrong;
}
template <class X> int wrong_pairs(X const& x) {
    int wrong = 0;
    wrong += wrong_sums(x, [](auto a, auto b) { return a - b; }, [](double a, double b) { return a - b; });
    wrong += wrong_sums(
        x, [](auto a, auto b) { return tx::exp(-tx::square(a - b)) * (b - a); },
        [](double a, double b) { return std::exp(-(a - b) * (a - b)) * (b - a); });
    wrong += wrong_sums(
        x, [](auto a, auto b) { return (a - b) / (tx::abs(a - b) + a * b + 2); },
        [](double a, double b) { return (a - b) / (std::abs(a - b) + a * b + 2); });
    // Those that have no parity stay as they are.
    wrong += wrong_sums(x, [](auto a, auto b) { return a - 2 * b; }, [](double a, double b) { return a - 2 * b; });
    wrong += wrong_sums(x, [](auto a, auto b) { return a - b + a * b; }, [](double a, double b) { return a - b + a * b; });
    wrong += wrong_sums(x, [](auto a, auto b) { return tx::exp(a - b); }, [](double a, double b) { return std::exp(a - b); });
    wrong += wrong_sums(
        x, [](auto a, auto b) { return tx::where(a > b, a - b, a + b); },
        [](double a, double b) { return a > b ? a - b : a + b; });
    return wrong;
}
std::size_t count(std::string const& text, std::string const& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

} // namespace

TEST_CASE("pair sums: with a parity and without") {
    CHECK(wrong_pairs(numbers<double, shape<37>>(1)) == 0);
    CHECK(wrong_pairs(numbers<float, shape<50>>(2)) == 0);
    CHECK(wrong_pairs(numbers<double, shape<dyn>>(4, 21)) == 0);
}
TEST_CASE("pair sums: of two sets, or of coordinates, nothing is swapped that isn't") {
    auto const x = numbers<double, shape<20>>(1), y = numbers<double, shape<20>>(2);
    auto const [rows, columns] = tx::function{[](auto a, auto b) {
        auto const pairs = expand_dims<1>(a) - b;
        return std::tuple{tx::sum(pairs, axis<1>), tx::sum(pairs, axis<0>)};
    }}(x, y);
    double all_x = 0, all_y = 0;
    for (std::int64_t k = 0; k < 20; ++k) all_x += x.data()[k], all_y += y.data()[k];
    for (std::int64_t k = 0; k < 20; ++k) {
        CHECK(close(rows.data()[k], 20 * x.data()[k] - all_y));
        CHECK(close(columns.data()[k], all_x - 20 * y.data()[k]));
    }
    // [3, n, n]: the two last axes are swapped; [n, n, n] of which only one pair of axes is.
    auto const points = numbers<double, shape<3, 15>>(3);
    auto const [of_first, of_second] = tx::function{[](auto p) {
        auto const d = expand_dims<2>(p) - expand_dims<1>(p);
        return std::tuple{tx::sum(d * d * d, axis<2>), tx::sum(d * d * d, axis<1>)};
    }}(points);
    for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t i = 0; i < 15; ++i) {
            double sum = 0;
            for (std::int64_t j = 0; j < 15; ++j) sum += std::pow(points.data()[c * 15 + i] - points.data()[c * 15 + j], 3);
            CHECK(close(of_first.data()[c * 15 + i], sum));
            CHECK(close(of_second.data()[c * 15 + i], -sum));
        }
}
TEST_CASE("pair sums: a gradient computes all pairs once") {
    auto const energy = [](auto v) {
        auto const d = expand_dims<1>(v) - v;
        return tx::sum(tx::exp(-(d * d)));
    };
    tx::function const gradient{tx::grad(energy)};
    auto const given = numbers<double, shape<200>>(1);
    auto const g = gradient(given);
    for (std::int64_t i = 0; i < 200; i += 17) {
        double slope = 0;
        for (std::int64_t j = 0; j < 200; ++j) {
            double const d = given.data()[i] - given.data()[j];
            slope += -4 * d * std::exp(-d * d);
        }
        CHECK(close(g.data()[i], slope));
    }
    std::string const passes = gradient.concrete<tx::spec<double, shape<200>>>().explain_passes();
    std::string const clusters =
        passes.substr(passes.find("after cluster"), passes.find("after plan") - passes.find("after cluster"));
    CHECK(count(clusters, "loop over (200, 200)") == 1);
}
TEST_CASE("pair sums: a sum over all axes goes by those over one") {
    auto const energy = [](auto v) {
        auto const d = expand_dims<1>(v) - v;
        return tx::sum(tx::exp(-(d * d)));
    };
    tx::function const both{tx::value_and_grad(energy)};
    auto const given = numbers<double, shape<300>>(1);
    auto const [value, gradient] = both(given);
    double sum = 0;
    for (std::int64_t i = 0; i < 300; ++i)
        for (std::int64_t j = 0; j < 300; ++j) sum += std::exp(-std::pow(given.data()[i] - given.data()[j], 2));
    CHECK(close(value.item(), sum));
    CHECK(gradient.size() == 300);
    std::string const passes = both.concrete<tx::spec<double, shape<300>>>().explain_passes();
    std::string const clusters =
        passes.substr(passes.find("after cluster"), passes.find("after plan") - passes.find("after cluster"));
    CHECK(count(clusters, "loop over (300, 300)") == 1);
}
TEST_CASE("pair sums: extents that nobody knows may differ") {
    auto const [rows, columns] = tx::function{[](auto v) {
        auto const ones = tx::full_like(v, 1.0);
        return std::tuple{tx::sum(ones, axis<1>), tx::sum(ones, axis<0>)};
    }}(tx::ones<double>(3, 5));
    CHECK(rows.size() == 3);
    CHECK(columns.size() == 5);
    CHECK(rows.data()[0] == 5);
    CHECK(columns.data()[0] == 3);
}
TEST_CASE("pair sums: the sign of zero") {
    auto const x = numbers<double, shape<1>>(1);
    auto const [rows, columns] = tx::function{[](auto v) {
        auto const pairs = expand_dims<1>(v) - v;
        return std::tuple{tx::sum(pairs, axis<1>), tx::sum(pairs, axis<0>)};
    }}(x);
    CHECK(!std::signbit(rows.data()[0]));
    CHECK(!std::signbit(columns.data()[0]));
}
