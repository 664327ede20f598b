// cond and switch_case: what JAX's tests/lax_control_flow_test.py and TensorFlow's cond_v2_test.py ask of them.
#include <run/ways_to_run.hpp>

#include <limits>

using tx::none;
using tx::shape;
using tx::tensor;
using tx::testing::in_every_way;
using tx::testing::near;
using tx::testing::when_traced;
using single = tensor<double, shape<>>;
using int0 = tensor<int, shape<>>;
using vec = tensor<double, shape<3>>;
using flags = tensor<bool, shape<3>>;

namespace {

constexpr auto chosen = [](auto k, auto x, auto y) {
    return tx::switch_case(k,
                           std::tuple([](auto a, auto b) { return a * b; }, [](auto a, auto) { return tx::sin(a); },
                                      [](auto, auto b) { return b * b; }, [](auto a, auto) { return a * 0 + 3; },
                                      [](auto a, auto b) { return a / b; }),
                           x, y);
};
double wanted(int k, double x, double y) {
    switch (std::min(std::max(k, 0), 4)) {
    case 0: return x * y;
    case 1: return std::sin(x);
    case 2: return y * y;
    case 3: return 3;
    default: return x / y;
    }
}
// Conditions within conditions, that use what is around them.
constexpr auto nested = [](auto x, auto y) {
    auto const z = x * y;
    return tx::cond(
        x > 0,
        [&] {
            auto const w = z * x;
            return tx::cond(y > 0, [&] { return w * y; }, [&] { return tx::exp(w) + z; });
        },
        [&] { return tx::cond(y > x, [&] { return tx::sin(z); }, [&] { return x * 2; }); });
};

} // namespace

TEST_CASE("switch: every index, also outside, of every dtype") { // testSwitch, testSwitchMultiOperands
    in_every_way(chosen, [](auto const& f) {
        for (int k = -2; k < 8; ++k) CHECK(near(f(int0(k), single(0.5), single(2.0)), single(wanted(k, 0.5, 2.0)), 1e-14));
    });
    auto const with = [](auto k) { return tx::function{chosen}(k, single(0.5), single(2.0)).item(); };
    CHECK(with(tensor<std::uint8_t, shape<>>(std::uint8_t{255})) == 0.25);
    CHECK(with(tensor<std::int8_t, shape<>>(std::int8_t{-128})) == 1);
    CHECK(with(tensor<std::int64_t, shape<>>(std::int64_t{1} << 40)) == 0.25);
    CHECK(with(tensor<std::int64_t, shape<>>(std::numeric_limits<std::int64_t>::min())) == 1);
    CHECK(with(tensor<std::uint64_t, shape<>>(~std::uint64_t{0})) == 0.25);
    in_every_way([](auto k, auto x) { return tx::switch_case(k, std::tuple([](auto a) { return a + 1; }), x); },
                 [](auto const& f) { CHECK(f(int0(9), single(2.0)).item() == 3); }); // testOneBranchSwitch
}

TEST_CASE("switch: derivatives of every case") {
    tx::function const slopes{tx::grad<1, 2>(chosen)};
    for (int k = 0; k < 5; ++k) {
        auto const [dx, dy] = slopes(int0(k), single(0.5), single(2.0));
        double const h = 1e-6;
        CHECK(dx.item() == doctest::Approx((wanted(k, .5 + h, 2) - wanted(k, .5 - h, 2)) / (2 * h)));
        CHECK(dy.item() == doctest::Approx((wanted(k, .5, 2 + h) - wanted(k, .5, 2 - h)) / (2 * h)));
        tx::check_gradients<2>([k](auto x, auto y) { return chosen(int0(k), x, y); }, single(0.5), single(2.0));
    }
}

TEST_CASE("switch: under vmap, index and operands batched or shared") { // testSwitchBatched, testBatchedPred
    tensor<int, shape<3>> const ks{7, 1, 2};
    vec const xs{0.5, 1, 2}, ys{4, 3, 5};
    when_traced(tx::vmap(chosen),
                [&](auto const& f) { CHECK(near(f(ks, xs, ys), vec{wanted(7, .5, 4), wanted(1, 1, 3), wanted(2, 2, 5)})); });
    when_traced(tx::vmap<none, 0, none>(chosen), [&](auto const& f) {
        for (int k = 0; k < 5; ++k)
            CHECK(near(f(int0(k), xs, single(4.0)), vec{wanted(k, .5, 4), wanted(k, 1, 4), wanted(k, 2, 4)}));
    });
    when_traced(tx::vmap<0, none, none>(chosen), [&](auto const& f) {
        CHECK(near(f(ks, single(0.5), single(4.0)), vec{wanted(7, .5, 4), wanted(1, .5, 4), wanted(2, .5, 4)}));
    });
    when_traced(tx::vmap(tx::grad<1>(chosen)), [&](auto const& g) { CHECK(near(g(ks, xs, ys), vec{0.25, std::cos(1.0), 0})); });
    when_traced(tx::grad<2>([](auto k, auto x, auto y) { return tx::sum(tx::vmap(chosen)(k, x, y)); }),
                [&](auto const& g) { CHECK(near(g(ks, xs, ys), vec{-0.5 / 16, 0, 10})); });
}

TEST_CASE("cond: branches of which one is shared by all examples, or constant") { // testCondBatching
    auto const f = [](auto p, auto x, auto y) {
        return tx::cond(p, [&] { return std::pair(x, y); }, [&] { return std::pair(y * 0 + 7.0, x + y); });
    };
    flags const ps{true, false, true};
    vec const xs{1, 2, 3};
    when_traced(tx::vmap<0, 0, none>(f), [&](auto const& g) {
        auto const [a, b] = g(ps, xs, single(10.0));
        CHECK(tx::equal(a, vec{1, 7, 3}));
        CHECK(tx::equal(b, vec{10, 12, 10}));
    });
    when_traced(tx::vmap<0, none, none>(f), [&](auto const& g) {
        auto const [a, b] = g(ps, single(1.0), single(10.0));
        CHECK(tx::equal(a, vec{1, 7, 1}));
        CHECK(tx::equal(b, vec{10, 11, 10}));
    });
    when_traced(tx::vmap<none, 0, none>(f), [&](auto const& g) {
        auto const [a, b] = g(tensor<bool, shape<>>(false), xs, single(10.0));
        CHECK(tx::equal(a, vec{7, 7, 7}));
        CHECK(tx::equal(b, vec{11, 12, 13}));
        auto const [c, d] = g(tensor<bool, shape<>>(true), xs, single(10.0));
        CHECK(tx::equal(c, xs));
        CHECK(tx::equal(d, vec{10, 10, 10}));
    });
    // A branch that gives constants alone.
    when_traced(tx::vmap<0, 0>([](auto p, auto x) { return tx::cond(p, [&] { return x; }, [] { return single(2.0); }); }),
                [&](auto const& g) { CHECK(tx::equal(g(ps, xs), vec{1, 2, 3})); });
}

TEST_CASE(
    "cond: first and second derivatives of conditions within conditions") { // testGradientOfNestedCond, testSecondDerivative
    double const points[][2]{{1.5, 0.5}, {0.3, -0.7}, {-0.5, 0.2}, {-0.5, -0.9}};
    for (auto const& p : points) tx::check_gradients<2>(nested, single(p[0]), single(p[1]));
    in_every_way(tx::hessian([](auto x) { return nested(tx::slice(x, tx::at<0>), tx::slice(x, tx::at<1>)); }), [](auto const& h) {
        using two = tensor<double, shape<2>>;
        // x^2 y^2
        CHECK(near(h(two{1.5, 0.5}), tensor<double, shape<2, 2>>{{0.5, 3}, {3, 4.5}}));
        // sin(xy)
        double const s = std::sin(-.1), c = std::cos(-.1);
        CHECK(near(h(two{-0.5, 0.2}), tensor<double, shape<2, 2>>{{-.04 * s, c + .1 * s}, {c + .1 * s, -.25 * s}}));
        CHECK(near(h(two{-0.5, -0.9}), tensor<double, shape<2, 2>>{}));
    });
    when_traced(tx::vmap(tx::grad<0, 1>(nested)), [&](auto const& g) {
        auto const [dx, dy] = g(vec{1.5, -0.5, -0.5}, vec{0.5, 0.2, -0.9});
        CHECK(near(dx, vec{0.75, 0.2 * std::cos(-.1), 2}));
        CHECK(near(dy, vec{2.25, -0.5 * std::cos(-.1), 0}));
    });
}

TEST_CASE("cond: the branch that is not taken adds nothing, neither NaN nor infinity") {
    auto const root = [](auto x) { return tx::cond(x > 0, [&] { return tx::sqrt(x); }, [&] { return tx::log(-x) * 0 + x; }); };
    in_every_way(tx::grad(root), [](auto const& g) {
        CHECK(g(single(4.0)).item() == 0.25);
        CHECK(g(single(-4.0)).item() == 1);
    });
    when_traced(tx::vmap(tx::grad(root)), [](auto const& g) { CHECK(tx::equal(g(vec{4, -4, 16}), vec{0.25, 1, 0.125})); });
    auto const safe = [](auto x) {
        return tx::cond(x == 0, [&] { return x * 0; }, [&] { return x / tx::abs(x) + tx::sqrt(tx::abs(x)); });
    };
    when_traced(tx::vmap(tx::grad(safe)), [](auto const& g) { CHECK(tx::equal(g(vec{0, 4, -4}), vec{0, 0.25, -0.25})); });
    when_traced(tx::grad([safe](auto x) { return tx::sum(tx::vmap(safe)(x)); }),
                [](auto const& g) { CHECK(tx::equal(g(vec{0, 4, -4}), vec{0, 0.25, -0.25})); });
}
