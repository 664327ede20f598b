// This file tests the state of loops: one tuple or pair, numbers and tensors that a body adds exprs to, variables, or nothing.
#include "kinds_of_traces.hpp"

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using tx::testing::in_all;
using tx::testing::in_both_traces;

namespace {
using number = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;

// Fibonacci's numbers from (x, x) on: the state is one value.
constexpr auto by_pair = [](auto x) {
    return tx::fori_loop(
               0, 4, [](auto, auto const& s) { return std::pair(s.second, s.first + s.second); }, std::pair(x, x))
        .second;
};
constexpr auto by_tuple = [](auto x) {
    return std::get<1>(tx::while_loop([](auto const& s) { return tx::sum(std::get<0>(s)) < 18.0; },
                                      [](auto const& s) { return std::tuple(std::get<1>(s), std::get<0>(s) + std::get<1>(s)); },
                                      std::tuple(x, x)));
};
constexpr auto by_scan = [](auto x) {
    auto const step = [](auto const& s, auto k) {
        auto const& [a, b, ones] = s;
        return std::pair(std::tuple(b, a + b, ones), k * tx::sum(ones));
    };
    auto const [last, ys] = tx::scan(step, std::tuple(x, x, x * 0.0 + 1.0), x);
    return std::pair(std::get<1>(last), ys);
};
constexpr auto by_nested = [](auto x) {
    auto const step = [](auto, auto const& s) {
        return std::pair(std::tuple(s.second, std::get<0>(s.first)), s.second + std::get<0>(s.first));
    };
    return tx::fori_loop(0, 4, step, std::pair(std::tuple(x, x), x)).second;
};
} // namespace

TEST_CASE("loops: a state that is one tuple or pair stays one") {
    vec const x{1, 2, 3};
    in_all(by_pair, [&](auto const& f) { CHECK(tx::equal(f(x), vec{8, 16, 24})); });
    in_all(by_tuple, [&](auto const& f) { CHECK(tx::equal(f(x), vec{5, 10, 15})); });
    in_all(by_nested, [&](auto const& f) { CHECK(tx::equal(f(x), vec{8, 16, 24})); });
    in_all(by_scan, [&](auto const& f) {
        auto const [last, ys] = f(x);
        CHECK(tx::equal(last, vec{5, 10, 15}));
        CHECK(tx::equal(ys, vec{3, 6, 9}));
    });
    in_both_traces(tx::grad([](auto a) { return tx::sum(by_pair(a) * a); }),
                   [&](auto const& f) { CHECK(tx::equal(f(x), vec{16, 32, 48})); });
}

TEST_CASE("loops: start values are numbers, the body adds what belongs to the trace") {
    vec const x{1, 2, 3};
    auto const check = [&](auto const& f) { CHECK(f(x).item() == 6); };
    // The compiler needs an expr among the start values.
    tx::function const from_number{
        [](auto a) { return tx::fori_loop(0, 3, [a](auto i, auto s) { return s + tx::dynamic_index(a, i); }, 0.0); }};
    tx::function const from_tensor{
        [](auto a) { return tx::fori_loop(0, 3, [a](auto i, auto s) { return s + tx::dynamic_index(a, i); }, number(0.0)); }};
    tx::function const by_while{[](auto a) {
        return std::get<1>(tx::while_loop([](auto i, auto) { return i < 3; },
                                          [a](auto i, auto s) { return std::tuple(i + 1, s + tx::dynamic_index(a, i)); },
                                          tensor<int, shape<>>(0), number(0.0)));
    }};
    tx::function const in_condition{[](auto a) {
        return tx::while_loop([a](auto s) { return s < tx::sum(a); }, [](auto s) { return s + 1.5; }, number(0.0)) +
               0.0 * tx::sum(a);
    }};
    check(from_number), check(from_tensor), check(by_while), check(in_condition);
    CHECK(tx::fori_loop(0, 3, [](auto i, auto s) { return s + i; }, 1).item() == 4); // of C++ numbers: at once
}

TEST_CASE("loops: of variables alone, and over one") {
    tx::variable<double, shape<>> c{1.0};
    tx::variable<std::int64_t, shape<>> k{2};
    tx::function const until{[&] { tx::while_loop([&] { return c < 10.0; }, [&] { c.assign_add(4.0); }); }};
    until();
    CHECK(c.item() == 13);
    c.assign(2);
    until();
    CHECK(c.item() == 10);
    tx::function const doubled{[&] { return tx::fori_loop(0, k, [](auto, auto s) { return s * 2.0; }, number(1.0)); }};
    CHECK(doubled().item() == 4);
    k.assign(5);
    CHECK(doubled().item() == 32);
    tx::variable<double, shape<3>> v{vec{1, 2, 3}};
    tx::function const over{[&v](auto x) { return tx::scan([](auto s, auto e) { return std::pair(s + e, s); }, x, v).first; }};
    CHECK(over(number(1.0)).item() == 7);
}

TEST_CASE("loops: their number is cast as a tensor is") {
    in_all([](auto x) { return tx::fori_loop(0, 3, [](auto i, auto s) { return s + tx::cast<double>(i) * 0.5; }, x); },
           [](auto const& f) { CHECK(f(number(1.0)).item() == 2.5); });
    CHECK(tx::cast<float>(3).item() == 3);
    in_all([](auto x) { return tx::dynamic_update_index(x, -1.0, 1); },
           [](auto const& f) { CHECK(tx::equal(f(vec{1, 2, 3}), vec{1, -1, 3})); });
}

TEST_CASE("loops: the number is weak, be the bounds numbers or tensors") {
    tensor<int, shape<>> const last(3);
    auto const by = [](auto to) {
        return [to](auto s) { return tx::fori_loop(0, to, [](auto i, auto t) { return t + i; }, s); };
    };
    tx::function const f{[](auto s, auto n) { return tx::fori_loop(0, n, [](auto i, auto t) { return t + i; }, s); }};
    CHECK(f(tensor<int, shape<>>(1), last).item() == 4);
    CHECK(f(tensor<float, shape<>>(1.0f), last).item() == 4);
    CHECK(by(3)(tensor<float, shape<>>(1.0f)).item() == 4);
    CHECK(by(last)(tensor<float, shape<>>(1.0f)).item() == 4);
}

TEST_CASE("loops: where functions run eagerly, bodies of scans read values and are called for each element") {
    int calls = 0;
    tx::function const f{[&calls](auto xs) {
        auto const step = [&calls](auto s, auto x) {
            ++calls;
            if (x.item() > 1) s = s + x;
            return std::pair(s, s * 2.0);
        };
        return tx::scan(step, tx::sum(xs) * 0.0, xs, {.reverse = true});
    }};
    tx::run_eagerly(true);
    auto const [last, ys] = f(vec{1, 2, 3});
    tx::function const none{[kept = 1](auto xs) { return static_cast<void>(kept), tx::map([](auto x) { return x * 2.0; }, xs); }};
    auto const empty = none(tx::zeros<double, shape<tx::dyn>>(0));
    tx::function const uneven{[kept = 1](auto x, auto y) {
        return static_cast<void>(kept),
               tx::map([](auto both) { return std::get<0>(both) + std::get<1>(both); }, std::tuple(x, y));
    }};
    auto const ones = [](std::int64_t n) { return tx::ones<double, shape<tx::dyn>>(n); };
    CHECK_THROWS_AS(static_cast<void>(uneven(ones(3), ones(4))), tx::shape_error);
    tx::run_eagerly(false);
    CHECK_THROWS_AS(static_cast<void>(uneven(ones(3), ones(4))), tx::shape_error);
    CHECK(calls == 3);
    CHECK(last.item() == 5);
    CHECK(tx::equal(ys, vec{10, 10, 6}));
    CHECK(empty.size() == 0);
}
