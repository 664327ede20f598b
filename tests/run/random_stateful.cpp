// This file tests random numbers that differ at each run, and are the same from one seed.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <random>

namespace rnd = tx::random;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<1000>>;

TEST_CASE("random: a draw is fresh at each run, and a seed repeats all") {
    tx::function const added{[](auto x) { return x + rnd::normal<float>(shape<1000>{}); }};
    tx::function const dropped{[](auto x) { return tx::nn::dropout(x, 0.5f); }};
    auto const draw_all = [&] {
        rnd::seed(42);
        vec const zeros = tx::zeros<float>(shape<1000>{}), ones = zeros + 1;
        auto const eager = rnd::normal<float>(shape<1000>{});
        return std::tuple(eager, added(zeros), added(zeros), dropped(ones), dropped(ones),
                          rnd::uniform<double>(shape<3>{}, -1, 1));
    };
    auto const first = draw_all(), second = draw_all();
    CHECK(tx::equal(std::get<0>(first), std::get<0>(second)));
    CHECK(tx::equal(std::get<1>(first), std::get<1>(second)));
    CHECK(tx::equal(std::get<2>(first), std::get<2>(second)));
    CHECK(tx::equal(std::get<3>(first), std::get<3>(second)));
    CHECK(tx::equal(std::get<4>(first), std::get<4>(second)));
    CHECK(tx::equal(std::get<5>(first), std::get<5>(second)));
    CHECK(!tx::equal(std::get<0>(first), std::get<1>(first)));
    CHECK(!tx::equal(std::get<1>(first), std::get<2>(first)));
    CHECK(!tx::equal(std::get<3>(first), std::get<4>(first)));
    rnd::seed(43);
    CHECK(!tx::equal(std::get<0>(first), rnd::normal<float>(shape<1000>{})));
    CHECK(added.tracing_count() == 1);
    CHECK(dropped.tracing_count() == 1);
}

TEST_CASE("random: the order of draws is that of the program, in every kind of trace") {
    auto const f = [](auto x) {
        auto const a = rnd::uniform<float>(shape<4>{}, x, x + 1);
        auto const b = rnd::randint<int>(shape<4>{}, 0, tx::cast<int>(x) + 100);
        auto const c = rnd::shuffle(a);
        return std::tuple{a, b, c, rnd::categorical(a)}; // in this order
    };
    int const kept = 0;
    tx::function const known{f};
    tx::function const traced{[f, kept](auto x) { return static_cast<void>(kept), f(x); }};
    tensor<float, shape<>> const zero(0.f);
    rnd::seed(7);
    auto const eager = f(zero);
    rnd::seed(7);
    auto const by_compiler = known(zero);
    rnd::seed(7);
    auto const at_run_time = traced(zero);
    CHECK(tx::equal(std::get<0>(eager), std::get<0>(by_compiler)));
    CHECK(tx::equal(std::get<0>(eager), std::get<0>(at_run_time)));
    CHECK(tx::equal(std::get<1>(eager), std::get<1>(by_compiler)));
    CHECK(tx::equal(std::get<1>(eager), std::get<1>(at_run_time)));
    CHECK(tx::equal(std::get<2>(eager), std::get<2>(by_compiler)));
    CHECK(tx::equal(std::get<2>(eager), std::get<2>(at_run_time)));
    CHECK(tx::equal(std::get<3>(eager), std::get<3>(by_compiler)));
    CHECK(tx::equal(std::get<3>(eager), std::get<3>(at_run_time)));
    tx::run_eagerly(true);
    rnd::seed(7);
    CHECK(tx::equal(std::get<2>(eager), std::get<2>(known(zero))));
    tx::run_eagerly(false);
}

TEST_CASE("random: what the host draws is kept by a trace, what the graph draws is not") {
    std::mt19937 host(1);
    tx::function const f{[&host](auto x) { return x + static_cast<float>(host() % 1000); }};
    tx::function const g{[](auto x) { return x + rnd::normal<float>(shape<>{}); }};
    CHECK(f(1.0f).item() == f(1.0f).item());
    CHECK(g(1.0f).item() != g(1.0f).item());
}

TEST_CASE("random: in loops, branches and derivatives") {
    tx::function const walk{[](auto x) {
        return tx::fori_loop(0, 100, [](auto, auto s) { return s + rnd::normal<float>(shape<>{}, 0, s * 0 + 1); }, x);
    }};
    rnd::seed(3);
    float const end = walk(0.0f).item();
    rnd::seed(3);
    float by_hand = 0;
    for (int k = 0; k < 100; ++k) by_hand += rnd::normal<float>(shape<>{}, 0, 1).item();
    CHECK(end == doctest::Approx(by_hand));
    tx::function const slope{tx::value_and_grad([](auto m) { return tx::sum(rnd::normal<float>(shape<50>{}, m, 2) * 3); })};
    rnd::seed(5);
    auto const [value, grad] = slope(tensor<float, shape<>>(1.f));
    CHECK(grad.item() == 150);
    rnd::seed(5);
    CHECK(value.item() == doctest::Approx(tx::sum(rnd::normal<float>(shape<50>{}, 1, 2) * 3).item()));
}
