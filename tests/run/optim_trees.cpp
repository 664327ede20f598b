// This file tests what parameters may be, and what comes with optimizers: norms, schedules, errors.
#include <run/optim_checks.hpp>

#include <array>
#include <tuple>

using namespace tx::testing;
using tx::dyn;
using tx::shape;
using tx::tensor;
namespace optim = tx::optim;
using cd = std::complex<double>;

namespace {
constexpr auto opt = optim::adam({.learning_rate = 0.1});
constexpr auto descent = optim::sgd({.learning_rate = 0.5});
} // namespace

TEST_CASE("optim: parameters are tensors, numbers, tuples, arrays, pairs, variables") {
    auto const params = std::tuple(tensor<float, shape<2>>{1, 2}, std::array{tensor<double>{3}, tensor<double>{4}}, 5.0);
    auto const slopes = std::tuple(tensor<float, shape<2>>{1, -1}, std::array{tensor<double>{2}, tensor<double>{0}}, 1.0);
    auto const check = [](auto const& next) {
        check_values(std::get<0>(next), tensor<float>{0.5f, 2.5f}, 0);
        check_values(std::get<1>(next)[0], tensor<double>{2}, 0);
        check_values(std::get<1>(next)[1], tensor<double>{4}, 0);
        check_values(std::get<2>(next), tensor<double>(4.5), 0);
    };
    check(descent.update(slopes, descent.init(params), params).first);
    auto const both = [](auto const& g, auto const& p) { return descent.update(g, descent.init(p), p).first; };
    check(at_run_time(both)(slopes, params));

    tx::variable w{tensor<float, shape<2>>{1, 2}};
    tx::variable b{tensor<float, shape<>>(3.0f)};
    auto const variables = std::tie(w, b);
    auto state = descent.init(variables);
    tx::gradient_tape tape;
    auto const loss = tx::sum(w * w) + b;
    auto const [next, after] = descent.update(tape.gradient(loss, variables), state, variables);
    check_values(std::get<0>(next), tensor<float>{0, 0}, 0);
    check_values(std::get<1>(next), tensor<float>(2.5f), 0);
}

TEST_CASE("optim: complex numbers, float16, open extents") {
    // optax.adam(0.1) with g = 2 (p - (0.5i, 1)), five steps
    tensor<cd, shape<2>> p{{1, 1}, {2, -0.5}}, c{{0, 0.5}, 1};
    auto state = opt.init(p);
    for (int k = 0; k < 5; ++k) std::tie(p, state) = opt.update(2.0 * (p - c), state, p);
    check_values(p, tensor<cd>{cd{0.55877452, 0.77938726}, cd{1.55877452, -0.27938726}}, 1e-8);

    // In float16 the square of 1e-4 is 0 but for rounding, and 1 - b2 has four digits: computed in float32.
    tensor<tx::half, shape<1>> h{tx::half(1.f)};
    auto const next = opt.update(tensor<tx::half, shape<1>>{tx::half(0.25f)}, opt.init(h), h).first;
    CHECK(static_cast<float>(next.item()) == doctest::Approx(0.9).epsilon(1e-3));

    tensor<double, shape<dyn>> const open(tensor<double, shape<2>>{1, 2}), slope(tensor<double, shape<2>>{1, 1});
    check_values(descent.update(slope, descent.init(open), open).first, tensor<double>{0.5, 1.5}, 0);
    tensor<double> const any{1, 2};
    check_values(descent.update(slope, descent.init(any), any).first, tensor<double>{0.5, 1.5}, 0);
    tensor<double, shape<dyn>> const longer(tensor<double, shape<3>>{1, 2, 3}), one(tensor<double, shape<1>>{1});
    CHECK_THROWS_AS(descent.update(longer, descent.init(open), open), tx::shape_error);
    CHECK_THROWS_AS(descent.update(one, descent.init(open), open), tx::shape_error);
    tensor<double, shape<0>> const none{};
    check_values(opt.update(none, opt.init(none), none).first, tensor<double, shape<0>>{}, 0);
}

TEST_CASE("optim: a rate for each step; loops of steps in one function") {
    tensor<double, shape<2>> const p{1, 2}, g{1, -1};
    check_values(descent.update(g, descent.init(p), p, 0.25).first, tensor<double>{0.75, 2.25}, 0);
    check_values(descent.update(g, descent.init(p), p, tensor<double, shape<>>(0.125)).first, tensor<double>{0.875, 2.125}, 0);
    check_values(optim::sgd(0.25).update(g, descent.init(p), p).first, tensor<double>{0.75, 2.25}, 0);
    constexpr auto slower = optim::sgd([](auto step) { return 1.0 / (step + 4.0); }, {.momentum = 0.5});
    auto const [once, carried] = slower.update(g, slower.init(p), p);
    check_values(once, tensor<double>{0.75, 2.25}, 0);
    check_values(slower.update(g, carried, once).first, tensor<double>{0.45, 2.55}, 1e-15); // g + 0.5 g, by 1 / 5
    tx::static_function const with_rate{[](auto x, auto rate) { return descent.update(x, descent.init(x), x, rate).first; }};
    check_values(with_rate(p, 0.25), tensor<double>{0.75, 1.5}, 0);

    tx::static_function const fit{[](auto start) { // x - 0.5 x, ten times
        return std::get<0>(tx::fori_loop(
            0, 10,
            [](auto, auto x, auto state) {
                auto const [next, after] = descent.update(x, state, x);
                return std::tuple(next, after);
            },
            start, descent.init(start)));
    }};
    check_values(fit(p), tensor<double>{1.0 / 1024, 2.0 / 1024}, 0);
}

TEST_CASE("optim: norms") {
    numbers const g{{3, 0}, tensor<double, shape<>>(4.0)};
    check_values(optim::global_norm(g), tensor<double>(5.0), 0);
    auto const cut = optim::clip_by_global_norm(g, 1.0);
    check_values(cut.w, tensor<double>{0.6, 0}, 1e-15);
    check_values(cut.b, tensor<double>(0.8), 1e-15);
    auto const whole = optim::clip_by_global_norm(std::tuple(tensor<float, shape<2>>{3, 4}, 0.0), 5);
    check_values(std::get<0>(whole), tensor<float>{3, 4}, 0);
    check_values(optim::clip_by_global_norm(tensor<double, shape<2>>{0, 0}, 1.0), tensor<double>{0, 0}, 0);
    check_values(optim::global_norm(tensor<cd, shape<1>>{{3, 4}}), tensor<double>(5.0), 1e-15);
    check_values(optim::global_norm(tx::full<tx::half>(shape<4>{}, tx::half(200.f))), tensor<float>(400.0f), 0); // no overflow
    tx::static_function const clip{[](auto a, auto most) { return optim::clip_by_global_norm(std::tuple(a, a), most); }};
    check_values(std::get<1>(clip(tensor<double, shape<1>>{3}, 3.0)), tensor<double>{3 / std::sqrt(2.0)}, 1e-15);
}

TEST_CASE("optim: schedules of Optax 0.2.8") {
    auto const check = [](auto schedule, std::array<double, 6> const& expected) {
        int const steps[]{0, 1, 3, 5, 8, 20};
        for (std::size_t k = 0; k < 6; ++k) {
            CHECK(is_near(schedule(steps[k]), expected[k], 1e-14));
            CHECK(is_near(schedule(tensor<std::int64_t, shape<>>(std::int64_t{steps[k]})).item(), expected[k], 1e-14));
        }
    };
    check(optim::exponential_decay{0.1, 4, 0.5},
          {0.1, 0.08408964152537146, 0.05946035575013606, 0.04204482076268573, 0.025, 0.003125});
    check(optim::exponential_decay{.initial = 0.1, .steps = 4, .rate = 0.5, .begin = 2, .staircase = true, .end = 0.03},
          {0.1, 0.1, 0.1, 0.1, 0.05, 0.03});
    check(optim::exponential_decay{.initial = 0.1, .steps = 4, .rate = 2, .end = 0.5},
          {0.1, 0.11892071150027211, 0.16817928305074292, 0.23784142300054423, 0.4, 0.5});
    check(optim::cosine_decay{.initial = 0.1, .steps = 10, .alpha = 0.1},
          {0.1, 0.09779754323328192, 0.08145033635316129, 0.055, 0.018594235253127374, 0.01});
    check(optim::cosine_decay{.initial = 0.1, .steps = 10, .alpha = 0.1, .exponent = 1.5},
          {0.1, 0.09671660978441009, 0.07366271584612004, 0.041819805153394646, 0.012655764746872637, 0.01});
    check(optim::linear{.initial = 0.1, .last = 0.02, .steps = 6, .begin = 1},
          {0.1, 0.1, 0.07333333333333335, 0.046666666666666676, 0.02, 0.02});
    check(optim::warmup_cosine_decay{.initial = 0.01, .peak = 0.1, .warmup_steps = 4, .steps = 10, .last = 0.001},
          {0.01, 0.0325, 0.0775, 0.09336825748732973, 0.02575, 0.001});
    CHECK(optim::constant{0.1}(7) == 0.1);
    for (double const none : {0.0, -3.0}) { // periods of no length: the initial value, as Optax has it
        check(optim::linear{.initial = 0.1, .last = 0.02, .steps = none}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
        check(optim::exponential_decay{0.1, none, 0.5}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
    }
    check(optim::warmup_cosine_decay{.initial = 0.01, .peak = 0.1, .warmup_steps = 0, .steps = 10, .last = 0.01},
          {0.1, 0.09779754323328192, 0.08145033635316129, 0.055, 0.018594235253127374, 0.01});
}
TEST_CASE("optim: schedules that Optax refuses") {
    CHECK_THROWS_WITH_AS((optim::cosine_decay{.initial = 0.1, .steps = 0}(1)),
                         "tx: optim::cosine_decay: steps must be positive; given 0.0", tx::error);
    auto const all_warmup = [](auto const& step) { return optim::warmup_cosine_decay{.initial = 0, .peak = 1, .warmup_steps = 10, .steps = 10}(step); };
    char const* const message =
        "tx: optim::warmup_cosine_decay: steps, which count those of the warmup, must be more than these; given 10.0";
    CHECK_THROWS_WITH_AS(all_warmup(1), message, tx::error);
    CHECK_THROWS_WITH_AS(tx::function{all_warmup}(tensor<float>(1.0f)), message, tx::error);
}
