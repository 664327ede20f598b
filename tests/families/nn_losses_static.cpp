// This file tests losses, metrics and quantization in traces that the compiler makes.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

using tx::testing::difference;
using matrix = tx::tensor<double, tx::shape<2, 3>>;
using labels = tx::tensor<int, tx::shape<2>>;

namespace {
constexpr auto loss = [](auto x, auto y) { return tx::nn::cross_entropy(x, y, {.smoothing = 0.1, .ignore = 2}); };
constexpr auto weighted = [](auto x, auto y, auto w) { return tx::nn::cross_entropy(x, y, {.weights = w}); };
constexpr auto huber = [](auto x) { return tx::nn::huber_loss(x, 1, {.reduction = tx::none}); };
constexpr auto rounded = [](auto x) { return tx::nn::dequantize(tx::nn::quantize<std::int8_t>(x, 0.5, 1), 0.5, 1); };
matrix const x{{1, 2, 4}, {0, 0.75, -1}};
labels const y{2, 1};
} // namespace

TEST_CASE("nn: cross_entropy in a static function, and its gradient") {
    tx::static_function f{loss};
    CHECK(f(x, y).item() == doctest::Approx(loss(x, y).item()).epsilon(1e-14));
    tx::static_function slope{tx::grad(loss)};
    CHECK(difference(slope(x, y), tx::grad(loss)(x, y), 1e-13, 1e-16) == "");
    tx::static_function g{weighted};
    CHECK(g(x, y, tx::tensor<double, tx::shape<3>>{1, 2, 3}).item() == doctest::Approx(tx::nn::cross_entropy(x, y, {.weights = {1, 2, 3}}).item()));
}
TEST_CASE("nn: other losses and quantization in static functions") {
    tx::static_function f{huber};
    CHECK(difference(f(x), huber(x), 1e-15) == "");
    tx::static_function q{rounded};
    CHECK(tx::equal(q(x), matrix{{1, 2, 4}, {0, 1, -1}}));
    tx::static_function a{[](auto t, auto p) { return tx::nn::accuracy(t, p); }};
    CHECK(a(y, y).item() == 1);
}
