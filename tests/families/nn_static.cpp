// This file tests layers traced by the compiler, and a gradient of several.
#include <nn_values.hpp>

using namespace tx::testing;

namespace {

constexpr auto block = [](auto x, auto w, auto b) {
    auto const h = tx::nn::layer_norm(tx::nn::linear(x, w, b), b, b);
    return tx::nn::mish(tx::nn::attention(h, h, h, tx::causal));
};
constexpr auto recurrent = [](auto xs, auto h, auto w, auto u, auto b) {
    return tx::nn::lstm(xs, std::pair(h, h), std::tuple(w, u, b)).second;
};

} // namespace

TEST_CASE("nn: layers traced by the compiler") {
    auto const x = made<3, 4>(0.7);
    auto const w = made<4, 4>(0.5);
    auto const b = made<4>(0.6);
    tx::static_function f{block};
    CHECK(difference(f(x, w, b), block(x, w, b), 1e-12, 1e-12) == "");
    constexpr auto loss = [](auto p, auto q, auto r) { return tx::sum(block(p, q, r)); };
    tx::static_function slope{tx::grad(loss)};
    CHECK(difference(slope(x, w, b), tx::grad(loss)(x, w, b), 1e-10, 1e-12) == "");
}
TEST_CASE("nn: an LSTM traced by the compiler") {
    auto const xs = made<3, 2, 3>(0.7);
    auto const h = made<2, 2>(0.3);
    auto const w = made<3, 8>(0.5);
    auto const u = made<2, 8>(0.4);
    auto const b = made<8>(0.6);
    tx::static_function f{recurrent};
    CHECK(difference(f(xs, h, w, u, b), recurrent(xs, h, w, u, b), 1e-12, 1e-12) == "");
}
