// This file tests ops on tensors that a callable makes itself: the compiler computes them, and the numbers are those of eager
// calls.
#include <run/constants_check.hpp>

#include <cmath>
#include <cstdint>

namespace {

using tx::shape;

constexpr auto masks = [] {
    auto const ones = tx::ones<float>(shape<4, 4>{});
    auto const steps = tx::arange<float, 4>();
    return std::tuple(tx::tril(ones), tx::eye<float>(shape<4, 4>{}) * 0.5f - ones, tx::where(tx::expand_dims<0>(steps) < tx::expand_dims<1>(steps), 1.0f, 0.0f),
                      tx::square(steps) / 4.0f, tx::pow(steps, 3) + tx::reciprocal(steps + 1.0f), tx::floor(steps / 3.0f), tx::maximum(steps, 1.5f));
};
} // namespace

TEST_CASE("constants: arithmetic") { tx::testing::check_constants(masks); }
TEST_CASE("constants: what the compiler can't compute is traced at run time") {
    tx::function const f{[](auto x) { return x * tx::exp(tx::ones<float>(shape<2>{})); }};
    CHECK(f(tx::tensor<float, shape<2>>{1, 2})(1) == doctest::Approx(2 * 2.718281828));
}
TEST_CASE("constants: they fold") {
    tx::function f{[](auto x) { return x + (tx::ones<float>(shape<3>{}) * 2.0f - 1.0f); }};
    static_assert(f.concrete<tx::spec<float, shape<3>>>().graph().size() == 3); // x, 1, their sum
    CHECK(f(tx::tensor<float, shape<3>>{1, 2, 3})(2) == 4);
}
TEST_CASE("constants: in bodies of loops, in branches, and around them") {
    tx::tensor<double, shape<2>> const x{1, 2};
    tx::static_function const loops{[](auto v) {
        auto const growth = tx::exp(tx::tensor<double, shape<>>(0.5));
        auto const grown = tx::fori_loop(0, 3, [&](auto, auto s) { return s * growth; }, v * growth);
        return tx::fori_loop(0, 2, [=](auto, auto s) { return s / growth; }, grown) - growth;
    }};
    tx::static_function const branches{[](auto v) {
        auto const root = tx::sqrt(tx::tensor<double, shape<>>(2.0));
        return tx::cond(tx::sum(v) > 0, [&] { return v * root; }, [&] { return v / root; }) + root;
    }};
    for (std::int64_t k = 0; k < 2; ++k) {
        CHECK(loops(x).data()[k] == doctest::Approx(x.data()[k] * std::exp(1.0) - std::exp(0.5)));
        CHECK(branches(x).data()[k] == doctest::Approx((x.data()[k] + 1) * std::sqrt(2.0)));
    }
}
