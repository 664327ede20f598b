// This file tests kernels of more lines than a fold may have with Clang (256): results that are stored, and a sum.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

TEST_CASE("kernels: of 600 lines") {
    constexpr auto steps = [](auto z, auto c) {
        for (int i = 0; i < 300; ++i) z = z * c + static_cast<float>(i % 7);
        return z;
    };
    tx::static_function const f{[=](auto z, auto c) {
        auto const last = steps(z, c);
        return std::pair(last, tx::sum(last));
    }};
    tx::tensor<float, tx::shape<70>> z, c;
    double total = 0;
    for (int k = 0; k < 70; ++k) {
        z.mutable_data()[k] = static_cast<float>(k) / 64;
        c.mutable_data()[k] = static_cast<float>(k % 9 - 4) / 8;
    }
    auto const [last, sum] = f(z, c);
    for (int k = 0; k < 70; ++k) {
        double const expected = steps(static_cast<double>(z(k)), static_cast<double>(c(k)));
        CHECK(last(k) == doctest::Approx(expected).epsilon(1e-6));
        total += expected;
    }
    CHECK(sum.item() == doctest::Approx(total).epsilon(1e-6));
}
