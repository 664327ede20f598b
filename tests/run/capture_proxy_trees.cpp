// tx::capture of structs, tuples and the like; of what it owns, and of what has no value.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <memory>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using matrix = tensor<float, shape<3, 3>>;

namespace {

vec const given{1, 1, 2};
struct dense {
    matrix weights;
    vec bias;
    constexpr auto operator()(auto x) const { return tx::matmul(x, weights) + bias; }
};
struct network {
    dense first, second;
    constexpr auto operator()(auto x) const { return second(tx::relu(first(x))); }
};
matrix times(float by) { return by * tensor<float, shape<3, 3>>(tx::eye<float>(shape<3, 3>{})); }

} // namespace

TEST_CASE("capture: a struct is called, and its members are read, as they are at each call") {
    network net{{times(1), {1, 1, 1}}, {times(2), {0, 0, 1}}};
    tx::static_function f{[net = tx::capture(net)](auto x) { return net(x) + net->second.bias * tx::sum((*net).first.bias); }};
    CHECK(tx::equal(f(given), vec{4, 4, 10}));
    net.second.bias = vec{1, 0, 0};
    CHECK(tx::equal(f(given), vec{8, 4, 6}));
    net.first.weights = times(0);
    CHECK(tx::equal(f(given), vec{6, 2, 2}));
}

TEST_CASE("capture: of tuples, pairs and arrays each part is captured for itself") {
    std::array<vec, 2> factors{vec{1, 2, 3}, vec{1, 1, 1}};
    std::tuple<vec, double> mixed{vec{1, 0, 0}, 2};
    std::pair<vec, vec> two{vec{1, 0, 0}, {3, 3, 3}};
    dense layer{times(1), {0, 0, 1}};
    tx::static_function f{[a = tx::capture(factors), t = tx::capture(mixed), p = tx::capture(two),
                           r = tx::capture(std::tie(layer, factors[0]))](auto x) {
        for (auto const& w : a) x = x * w;
        auto const& [n, first] = r;
        auto const& [left, right] = p;
        return n(x) + std::get<0>(t) * std::get<1>(t) + left + right + first;
    }};
    CHECK(tx::equal(f(given), vec{8, 7, 13}));
    factors[0] = vec{}, std::get<1>(mixed) = 0, two.second = vec{}, layer.bias = vec{};
    CHECK(tx::equal(f(given), vec{1, 0, 0}));
}

TEST_CASE("capture: what is moved into a lambda lives with it, and copies have their own") {
    vec w{1, 2, 3};
    auto const make = [&] {
        return tx::static_function{
            [w = tx::capture(vec(w)), layer = tx::capture(dense{times(1), {1, 1, 1}}),
             both = tx::capture(std::pair(w, 2))](auto x) { return layer(x * w) + 0 * both.first * both.second; }};
    };
    auto f = std::make_unique<decltype(make())>(make());
    auto g = *f;
    w = vec{};
    CHECK(tx::equal((*f)(given), vec{2, 3, 7}));
    f.reset();
    CHECK(tx::equal(g(given), vec{2, 3, 7}));
    auto const h = std::move(g);
    CHECK(tx::equal(h(given), vec{2, 3, 7}));
}

TEST_CASE("capture: of what has no value, and of captures") {
    vec w{1, 2, 3};
    constexpr auto twice = [](auto x) { return x * 2; };
    tx::static_function f{
        [twice = tx::capture(twice), w = tx::capture(w), n = tx::capture(std::integral_constant<int, 3>{})](auto x) {
            auto const inner = [w = tx::capture(w), also = w](auto y) { return y * w + also; };
            return twice(inner(x)) * n;
        }};
    CHECK(tx::equal(f(given), vec{12, 24, 54}));
}
