// This file tests tx::capture of structs, tuples and the like; of values that it owns, and of types without a value.
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
    CHECK_THROWS_WITH_AS(g(given), doctest::Contains("tx: capture_copy: the function was moved from"), tx::error);
}

// By value they outlive what they were made of.
template <bool Refers, class W> auto scaled_by(W const& w) {
    if constexpr (Refers) return tx::static_function{[w = tx::capture_ref(w)](auto x) { return x * w; }};
    else return tx::static_function{[w = tx::capture_copy(w)](auto x) { return x * w; }};
}
TEST_CASE("capture_ref, capture_copy: one sees what becomes of it, the other is as it was then") {
    vec w{1, 2, 3};
    auto const refers = scaled_by<true>(w);
    auto owns = std::make_unique<decltype(scaled_by<false>(w))>(scaled_by<false>(w));
    auto const copy = *owns;
    CHECK(tx::equal(refers(given), given * w));
    CHECK(tx::equal((*owns)(given), given * w));
    w = vec{};
    CHECK(tx::equal(refers(given), vec{}));
    CHECK(tx::equal((*owns)(given), given * vec{1, 2, 3}));
    owns.reset();
    CHECK(tx::equal(copy(given), given * vec{1, 2, 3}));

    auto const from_local = [] {
        vec const local{5, 5, 5};
        double const rate = 0.5;
        tx::variable<float, tx::shape<3>> bias{vec{1, 2, 3}};
        dense layer{times(2), {1, 1, 1}};
        std::pair const both(local, layer.bias);
        return tx::static_function{[local = tx::capture_copy(local), rate = tx::capture_copy(rate), bias = tx::capture_copy(bias),
                                    layer = tx::capture_copy(layer), both = tx::capture_copy(both)](auto x) {
            return layer(x * local) * rate + bias + both.first * both.second;
        }};
    }();
    CHECK(tx::equal(from_local(given), (given * 5 * 2 + 1) * 0.5 + vec{1, 2, 3} + 5));
}
TEST_CASE("capture_ref, capture_copy: in derivatives, batches, tapes and traces made at run time") {
    vec w{1, 2, 3};
    auto const make = [&](auto kind) {
        auto const by = [&] {
            if constexpr (kind.value) return tx::capture_ref(w);
            else return tx::capture_copy(w);
        }();
        return [w = by](auto x) { return tx::sum(x * x * w); };
    };
    auto const check = [&](auto const& f, vec const& now) {
        CHECK(tx::equal(tx::grad(f)(given), 2 * given * now));
        CHECK(tx::jvp(f)(given, vec{1, 0, 0}).second.item() == 2 * now(0));
        CHECK(tx::equal(tx::vmap(f)(tx::stack(tx::axis<0>, given, given * 2))[1], tx::sum(given * given * now) * 4));
        tx::function const at_run_time{f, tx::options{.jit = tx::jit::never}};
        CHECK(tx::equal(at_run_time(given), tx::sum(given * given * now)));
        CHECK(tx::equal(at_run_time(tx::tensor<float>(given)), tx::sum(given * given * now)));
        tx::gradient_tape tape;
        vec const x = given;
        tape.watch(x);
        CHECK(tx::equal(tape.gradient(tx::function{f}(x), x), 2 * given * now));
    };
    auto const refers = make(std::true_type{});
    auto const owns = make(std::false_type{});
    check(refers, w);
    check(owns, w);
    w = vec{4, 4, 4};
    check(refers, w);
    check(owns, vec{1, 2, 3});
    // Of std::tie's tuple each part is what it refers to, or a copy of that.
    double rate = 2;
    tx::static_function const tied{[parts = tx::capture_ref(std::tie(w, rate)), kept = tx::capture_copy(std::tie(w, rate))](auto x) {
        return x * std::get<0>(parts) * std::get<1>(parts) + std::get<0>(kept) * std::get<1>(kept);
    }};
    w = vec{1, 1, 1}, rate = 10;
    CHECK(tx::equal(tied(given), given * 10 + 8));
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
