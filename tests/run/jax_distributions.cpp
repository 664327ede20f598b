// This file tests what JAX's tests/random_test.py asks of categorical, gamma, truncated_normal and bernoulli at their edges.
#include <run/random_checks.hpp>
#include <run/ways_to_run.hpp>

#include <limits>

namespace rnd = tx::random;
using tx::shape;
using tx::tensor;
using tx::testing::check_moments;
using tx::testing::distance_from;
using tx::testing::most_distance;
using tx::testing::normal_cumulative;

namespace {

constexpr std::int64_t n = 20000;
constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("random: categorical of classes that can't be, of batches, of one class") {
    auto const logits = tx::broadcast_to(tensor<double, shape<4>>{0, -infinity, std::log(3.0), -infinity}, shape<n, 4>{});
    auto const x = rnd::stateless_categorical(rnd::key(1), logits);
    int threes = 0;
    for (std::int64_t const k : x) {
        CHECK((k == 0 || k == 2));
        threes += k == 2;
    }
    CHECK(std::abs(threes - 0.75 * n) < 3.5 * std::sqrt(n * 0.75 * 0.25));
    auto const batch = rnd::stateless_categorical(rnd::key(2), tx::zeros<float>(shape<2, 3, 1, 5>{}));
    static_assert(std::is_same_v<decltype(batch), tensor<std::int64_t, shape<2, 3, 1>> const>);
    CHECK(tx::all(batch >= 0 && batch < 5).item());
    CHECK(tx::sum(rnd::stateless_categorical(rnd::key(3), tx::zeros<float>(shape<7, 1>{}))).item() == 0);
    CHECK(rnd::stateless_categorical(rnd::key(3), tx::zeros<float>(shape<0, 3>{})).size() == 0);
    // Logits may be large, of either sign.
    auto const large = tx::broadcast_to(tensor<float, shape<3>>{1e6f, 1e6f, -1e6f}, shape<n, 3>{});
    auto const of_large = tx::mean(tx::cast<double>(rnd::stateless_categorical(rnd::key(4), large))).item();
    CHECK(std::abs(of_large - 0.5) < 3.5 * 0.5 / std::sqrt(n));
}

TEST_CASE_TEMPLATE("random: gamma of small and large alpha", T, float, double) {
    for (double const alpha : {0.01, 0.3, 1.0, 1.5, 10.0, 1000.0}) {
        CAPTURE(alpha);
        auto const x = rnd::stateless_gamma<T>(rnd::key(5), shape<n>{}, alpha);
        check_moments(x, alpha, alpha, 3 * alpha * (alpha + 2));
        CHECK(tx::all(tx::isfinite(x)).item());
        CHECK(tx::min(x).item() >= 0);
    }
    // alpha = 1: exponential; half of alpha = 1/2 doubled: the square of a normal number.
    CHECK(distance_from(rnd::stateless_gamma<T>(rnd::key(6), shape<n>{}, 1.0), [](double x) { return 1 - std::exp(-x); }) <
          most_distance);
    CHECK(distance_from(rnd::stateless_gamma<T>(rnd::key(7), shape<n>{}, 0.5), [](double x) { return std::erf(std::sqrt(x)); }) <
          most_distance);
}

TEST_CASE_TEMPLATE("random: truncated normal numbers stay within two deviations", T, float, double) {
    auto const x = rnd::stateless_truncated_normal<T>(rnd::key(8), shape<n>{}, 10.0, 3.0);
    CHECK(tx::min(x).item() >= T(4));
    CHECK(tx::max(x).item() <= T(16));
    double const below = normal_cumulative(-2), within = 1 - 2 * below;
    CHECK(distance_from(x, [&](double v) { return (normal_cumulative((v - 10) / 3) - below) / within; }) < most_distance);
}

TEST_CASE("random: bernoulli with a probability for each place, and at its limits") {
    tensor<float, shape<2, 1, 3>> const p{{{0, 0.25f, 1}}, {{0.5f, 1, 0}}};
    tx::testing::in_every_way(
        [](auto k, auto probability) { return rnd::stateless_bernoulli(k, shape<2, 5000, 3>{}, probability); },
        [&](auto const& f) {
            auto const shares = tx::mean(tx::cast<double>(f(rnd::key(9), p)), tx::axis<1>);
            CHECK(shares(0, 0) == 0);
            CHECK(shares(0, 2) == 1);
            CHECK(shares(1, 1) == 1);
            CHECK(shares(1, 2) == 0);
            CHECK(std::abs(shares(0, 1) - 0.25) < 3.5 * std::sqrt(0.1875 / 5000));
            CHECK(std::abs(shares(1, 0) - 0.5) < 3.5 * std::sqrt(0.25 / 5000));
        });
}

TEST_CASE("random: keys in the state of loops, folded with their counters, and rejection") {
    using single = tensor<double, shape<>>;
    auto const walk = [](auto key, auto steps) {
        return std::get<1>(tx::fori_loop(
            0, steps,
            [](auto, auto k, auto s) {
                auto const [now, next] = rnd::split(k);
                return std::tuple(next, s + rnd::stateless_normal<double>(now, shape<>{}));
            },
            key, tx::cast<double>(steps * 0)));
    };
    auto const folded = [](auto key, auto x) {
        return tx::fori_loop(
            0, 5, [key](auto i, auto s) { return s + rnd::stateless_normal<double>(rnd::fold_in(key, i), shape<>{}); }, x);
    };
    double by_hand = 0, by_folds = 0;
    rnd::key k(11);
    for (int i = 0; i < 5; ++i) {
        auto const [now, next] = rnd::split(k);
        by_hand += rnd::stateless_normal<double>(now, shape<>{}).item();
        by_folds += rnd::stateless_normal<double>(rnd::fold_in(rnd::key(11), i), shape<>{}).item();
        k = next;
    }
    tx::testing::in_every_way(walk, [&](auto const& f) {
        CHECK(f(rnd::key(11), tensor<int, shape<>>(5)).item() == doctest::Approx(by_hand).epsilon(1e-12));
        CHECK(f(rnd::key(11), tensor<int, shape<>>(0)).item() == 0);
    });
    tx::testing::in_every_way(
        folded, [&](auto const& f) { CHECK(f(rnd::key(11), single(0.0)).item() == doctest::Approx(by_folds).epsilon(1e-12)); });
    auto const rejected = [](auto key, auto least) {
        return std::get<1>(tx::while_loop([least](auto, auto x) { return x < least; },
                                          [](auto now, auto) {
                                              auto const [draw, next] = rnd::split(now);
                                              return std::tuple(next, rnd::stateless_uniform<double>(draw, shape<>{}));
                                          },
                                          rnd::key{key}, least * 0 - 1));
    };
    auto const keys = rnd::keys<2000>(rnd::key(12));
    auto const x = tx::function{tx::vmap<0, tx::none>(rejected)}(keys, single(0.9));
    CHECK(tx::min(x).item() >= 0.9);
    CHECK(distance_from(x, [](double v) { return (v - 0.9) * 10; }) < most_distance);
    CHECK(x(7) == rejected(rnd::key{keys(7)}, single(0.9)).item());
}
