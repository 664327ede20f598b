// This file tests distributions over integers, and dropout.
#include <run/random_checks.hpp>

using namespace tx::testing;
namespace rnd = tx::random;
using tx::shape;

namespace {
constexpr std::int64_t n = 20000;
// Pearson's: how far counts are from what is expected.
template <class A> double chi_square(A const& drawn, std::int64_t first, std::vector<double> const& odds) {
    std::vector<double> counts(odds.size());
    for (double const x : as_doubles(drawn)) counts.at(static_cast<std::size_t>(static_cast<std::int64_t>(x) - first)) += 1;
    double out = 0, total = 0;
    for (double const o : odds) total += o;
    for (std::size_t k = 0; k < odds.size(); ++k) {
        double const want = static_cast<double>(drawn.size()) * odds[k] / total;
        out += (counts[k] - want) * (counts[k] - want) / want;
    }
    return out;
}
} // namespace

TEST_CASE_TEMPLATE("random: randint", T, std::int8_t, std::uint8_t, std::int32_t, std::int64_t, std::uint64_t) {
    std::vector<double> const alike(10, 1);
    T const lo = std::is_signed_v<T> ? static_cast<T>(-4) : T{3};
    auto const x = rnd::stateless_randint<T>(rnd::key(21), shape<n>{}, lo, lo + 10);
    CHECK(chi_square(x, lo, alike) < 27.9); // 9 degrees of freedom
    static_assert(std::is_same_v<typename decltype(x)::value_type, T>);
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    auto const wide = tx::cast<double>(rnd::stateless_randint<T>(rnd::key(22), shape<n>{}, least, most));
    double const span = static_cast<double>(most) - static_cast<double>(least);
    if constexpr (sizeof(T) > 1)
        CHECK(distance_from(wide, [&](double v) { return (v - static_cast<double>(least)) / span; }) < most_distance);
    CHECK(tx::max(wide).item() <= static_cast<double>(most));
    CHECK(tx::equal(rnd::stateless_randint<T>(rnd::key(22), shape<9>{}, T{5}, T{6}), tx::full<T>(shape<9>{}, T{5})));
}
TEST_CASE("random: the bounds of randint may be tensors") {
    auto const x = rnd::stateless_randint<int>(rnd::key(23), shape<2, n>{}, 0, tx::tensor<int, shape<2, 1>>{{2}, {1000000}});
    CHECK(chi_square(tx::slice(x, tx::at<0>), 0, {1, 1}) < 10.9);
    CHECK(distance_from(tx::slice(x, tx::at<1>), [](double v) { return v / 1e6; }) < most_distance);
}
TEST_CASE("random: bernoulli") {
    for (double const p : {0.0, 0.1, 0.5, 1.0}) {
        double const share = tx::mean(tx::cast<double>(rnd::stateless_bernoulli(rnd::key(24), shape<n>{}, p))).item();
        CHECK(std::abs(share - p) <= 3.3 * std::sqrt(p * (1 - p) / n));
    }
    auto const each = rnd::stateless_bernoulli(rnd::key(24), shape<n, 2>{}, tx::tensor<double, shape<2>>{0.25, 1});
    auto const shares = tx::mean(tx::cast<double>(each), tx::axis<0>);
    CHECK(shares(0) == doctest::Approx(0.25).epsilon(0.04));
    CHECK(shares(1) == 1);
    CHECK(tx::mean(tx::cast<double>(rnd::stateless_bernoulli(rnd::key(25), shape<n>{}))).item() ==
          doctest::Approx(0.5).epsilon(0.02));
}
TEST_CASE_TEMPLATE("random: categorical", T, float, double) {
    tx::tensor<T, shape<4>> const odds{1, 2, 5, 0};
    auto const x = rnd::stateless_categorical(rnd::key(26), tx::broadcast_to(tx::log(odds) + 7, shape<n, 4>{}));
    static_assert(std::is_same_v<decltype(x), tx::tensor<std::int64_t, shape<n>> const>);
    CHECK(tx::max(x).item() == 2);
    CHECK(chi_square(x, 0, {1, 2, 5}) < 13.9);
    CHECK(rnd::stateless_categorical(rnd::key(27), tx::tensor<float>{0, 100, 0}).item() == 1);
}
TEST_CASE("random: dropout keeps a share, scaled, and its gradient is that of what is kept") {
    auto const x = tx::full<float>(shape<n>{}, 3.0f);
    auto const y = tx::nn::dropout(rnd::key(28), x, 0.75);
    for (float const v : y) CHECK((v == 0.0f || v == 4.0f));
    CHECK(tx::mean(y).item() == doctest::Approx(3).epsilon(0.015));
    auto const slopes = tx::grad([](auto a, auto k) { return tx::sum(tx::nn::dropout(k, a, 0.75)); })(x, rnd::key(28).number);
    CHECK(close(slopes, y / 3));
    CHECK(tx::equal(tx::nn::dropout(rnd::key(28), x, 1), x));
    CHECK(tx::equal(tx::nn::dropout(rnd::key(28), tx::tensor<float>(x), 0.75), tx::tensor<float>(y)));
}
