// This file tests numbers that a dtype does not hold, sizes that no memory holds, vectors without elements.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

TEST_CASE("numbers that stand for others must be of the dtype") {
    tx::tensor<std::int8_t, tx::shape<3>> a{3, 1, 3};
    CHECK_THROWS_AS(tx::unique<4>(a, 1000), tx::error);
    CHECK_THROWS_AS(tx::unique_counts<4>(a, 1000), tx::error);
    CHECK(tx::unique<4>(a, 9)(3) == 9);
    auto f = tx::function{[](auto x) { return tx::full<std::uint8_t>(300, tx::extent<0>(x)); }};
    CHECK_THROWS_AS(f(tx::tensor<float, tx::shape<tx::dyn>>{1, 2}), tx::error);
    CHECK(tx::zeros<float>(std::integral_constant<int, 2>{}, 3).size() == 6);
    CHECK(tx::full<float>('a', 2)(1) == 97);
}

TEST_CASE("of no steps a schedule gives its first value") {
    CHECK(tx::optim::exponential_decay{.initial = .1, .steps = 0, .rate = .5, .end = .5}(3) == .1);
    CHECK(tx::optim::linear{0.1, 1e20, 0}(5) == 0.1);
}

TEST_CASE("the first few values of none, and of fewer") {
    tx::tensor<float, tx::shape<0>> none;
    auto const [v, i, inv, c] = tx::unique_all<2>(none, 7.f);
    CHECK(v(0) == 7);
    CHECK(i(1) == 0);
    CHECK(c(0) == 0);
    auto const [v2, i2, inv2, c2] = tx::unique_all<4>(tx::tensor<int, tx::shape<4>>{5, 2, 5, 2});
    CHECK(i2(0) == 1);
    CHECK(i2(1) == 0);
    CHECK(i2(2) == 1);
    CHECK(c2(3) == 0);
}

TEST_CASE("a size that cannot be is said before memory is taken") {
    tx::tensor<float> t{1, 2, 3, 4};
    CHECK_THROWS_WITH(tx::reshape(t, 1000000, 1000000),
                      "tx: reshape: the size must stay the same; given (4,), (1000000, 1000000)");
    CHECK_THROWS_AS(tx::reshape(t, 1ll << 32, 1ll << 32, -1), tx::shape_error);
    CHECK(tx::reshape(t, 2, -1)(1, 0) == 3);
    CHECK_THROWS_AS(tx::reshape(t, 3, -1), tx::shape_error);
}
