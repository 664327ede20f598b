// Random numbers: fresh at each run, or pure functions of a key. Shapes with tx::dyn are followed by their extents, then come the
// distribution's parameters, which broadcast to the shape and have derivatives.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

constexpr auto thousand = tx::shape<1000>{};

TEST_CASE("random::seed, random::uniform, random::normal, random::truncated_normal") {
    tx::random::seed(42); // from here on the program's numbers repeat
    auto const u = tx::random::uniform<float>(thousand, -1.0, 1.0);
    CHECK(tx::all(u >= -1 && u < 1).item());
    auto const z = tx::random::normal<float>(thousand, 3.0, 2.0); // mean and deviation
    CHECK(tx::mean(z).item() == doctest::Approx(3).epsilon(0.1));
    auto const t = tx::random::truncated_normal<float>(thousand);
    CHECK(tx::all(tx::abs(t) <= 2).item());
    tx::random::seed(42);
    CHECK(tx::equal(tx::random::uniform<float>(thousand, -1.0, 1.0), u));
}

TEST_CASE("random::exponential, random::gamma, random::bernoulli, random::randint") {
    tx::random::seed(1);
    CHECK(tx::all(tx::random::exponential<float>(thousand) >= 0).item());
    CHECK(tx::mean(tx::random::gamma<float>(thousand, 4.0)).item() == doctest::Approx(4).epsilon(0.1));
    CHECK(tx::mean(tx::cast<float>(tx::random::bernoulli(thousand, 0.25))).item() == doctest::Approx(0.25).epsilon(0.2));
    auto const dice = tx::random::randint<int>(thousand, 1, 7);
    CHECK(tx::min(dice).item() == 1);
    CHECK(tx::max(dice).item() == 6);
}

TEST_CASE("random::categorical, random::permutation, random::shuffle") {
    tx::random::seed(1);
    tx::tensor<float, tx::shape<2, 3>> const logits{{-INFINITY, 0, -INFINITY}, {0, -INFINITY, -INFINITY}};
    CHECK(tx::equal(tx::random::categorical(logits), tx::tensor<std::int64_t, tx::shape<2>>{1, 0}));
    CHECK(tx::sum(tx::random::permutation<5>()).item() == 10);
    CHECK(tx::sum(tx::random::shuffle(tx::arange<float, 5>())).item() == 10);
}

TEST_CASE("random::key, random::split, random::fold_in, random::keys") {
    tx::random::key const k(42);
    auto const [a, b] = tx::random::split(k); // as good as unrelated, to each other and to k
    CHECK(!tx::equal(tx::random::stateless_uniform<float>(a, thousand), tx::random::stateless_uniform<float>(b, thousand)));
    auto const c = tx::random::fold_in(k, 7); // one for each number
    CHECK(!tx::equal(tx::random::stateless_uniform<float>(c, thousand), tx::random::stateless_uniform<float>(k, thousand)));
    CHECK(tx::random::keys<3>(k).extents() == std::vector<std::int64_t>{3}); // of which tx::vmap gives each example its own
}

TEST_CASE("random::stateless_uniform, random::stateless_normal, random::stateless_truncated_normal") {
    tx::random::key const k(42);
    auto const u = tx::random::stateless_uniform<float>(k, thousand, 10.0, 20.0);
    CHECK(tx::all(u >= 10 && u < 20).item());
    auto const z = tx::random::stateless_normal<float>(k, thousand);
    CHECK(tx::equal(tx::random::stateless_normal<float>(k, thousand), z)); // a key's numbers are always the same
    CHECK(tx::all(tx::abs(tx::random::stateless_truncated_normal<float>(k, thousand)) <= 2).item());
}

TEST_CASE("random::stateless_exponential, random::stateless_gamma, random::stateless_bernoulli, random::stateless_randint") {
    tx::random::key const k(42);
    CHECK(tx::mean(tx::random::stateless_exponential<float>(k, thousand)).item() == doctest::Approx(1).epsilon(0.2));
    CHECK(tx::all(tx::random::stateless_gamma<float>(k, thousand, 2.0) > 0).item());
    CHECK(tx::any(tx::random::stateless_bernoulli(k, thousand)).item());
    CHECK(tx::max(tx::random::stateless_randint<int>(k, thousand, 0, 10)).item() == 9);
}

TEST_CASE("random::stateless_categorical, random::stateless_permutation, random::stateless_shuffle, random::stateless_bits") {
    tx::random::key const k(42);
    tx::tensor<float, tx::shape<1, 2>> const logits{{0, -INFINITY}};
    CHECK(tx::random::stateless_categorical(k, logits)(0) == 0);
    CHECK(tx::sum(tx::random::stateless_permutation<5>(k)).item() == 10);
    CHECK(tx::sum(tx::random::stateless_shuffle(k, tx::arange<float, 5>())).item() == 10);
    CHECK(tx::random::stateless_bits<std::uint32_t>(k, tx::shape<8>{}).size() == 8);
}

TEST_CASE("nn::dropout") {
    auto const x = tx::ones<float>(thousand);
    auto const kept = tx::nn::dropout(tx::random::key(1), x, 0.5); // keeps half, divided by 0.5
    CHECK(tx::all(kept == 0 || kept == 2).item());
    CHECK(tx::mean(kept).item() == doctest::Approx(1).epsilon(0.1));
}
