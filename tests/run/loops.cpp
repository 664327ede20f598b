// This file tests loops on the values of tensors: static functions, traces made at run time, and tensors outside of any must give
// the same results.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <utility>

using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<2>>;
using open_vec = tensor<double, shape<tx::dyn>>;
using single = tensor<double, shape<>>;
using rows = tensor<double, shape<3, 2>>;

namespace {

// Static, traced at run time, eager.
template <class F, class X> void check_all(F const& f, X const& x, auto const& expected) {
    tx::function const known{f};
    static_assert(decltype(known)::is_static);
    CHECK(tx::equal(known(x), expected));
    int const kept = 1;
    tx::function const traced{[f, kept](auto a) {
        static_cast<void>(kept);
        return f(a);
    }};
    CHECK(tx::equal(traced(x), expected));
    CHECK(tx::equal(f(x), expected));
}

constexpr auto newton = [](auto a) {
    return tx::while_loop([=](auto x) { return tx::abs(x * x - a) > 1e-13; }, [=](auto x) { return 0.5 * (x + a / x); },
                          a * 0.5 + 0.5);
};
constexpr auto slope = [](auto a) { return tx::grad(newton)(a); };
constexpr auto leaky = [](auto w, auto c, auto xs) {
    auto const [end, ys] = tx::scan(
        [=](auto state, auto x) {
            auto const next = tx::tanh(state * w + x);
            return std::pair(next, next * x);
        },
        c, xs);
    return tx::sum(end) + tx::sum(ys * ys);
};

} // namespace

TEST_CASE("while_loop: as long as the condition holds, or never") {
    auto const doubled = [](auto x) {
        return tx::while_loop([](auto a) { return tx::sum(a) < 100; }, [](auto a) { return a * 2; }, x);
    };
    check_all(doubled, vec{1, 2}, vec{64, 128});
    check_all(doubled, vec{100, 2}, vec{100, 2});
    check_all(doubled, open_vec{1, 2}, open_vec{64, 128});
}

TEST_CASE("while_loop: state of several parts and dtypes, numbers and what is around it: Collatz") {
    auto const steps = [](auto start) {
        auto const [n, count] =
            tx::while_loop([](auto m, auto) { return m > 1; },
                           [](auto m, auto k) {
                               return std::tuple(tx::where(tx::remainder(m, 2) == 0, tx::floor_divide(m, 2), 3 * m + 1), k + 1);
                           },
                           start, 0);
        return count;
    };
    tensor<std::int64_t, shape<>> const start{27};
    CHECK(tx::function{steps}(start).item() == 111);
    CHECK(steps(start).item() == 111);
}

TEST_CASE("scan: carry and results, forwards and backwards, nothing to go through") {
    rows const xs{{1, 2}, {3, 4}, {5, 6}};
    auto const sums = [](auto x) {
        return tx::scan([](auto c, auto r) { return std::pair(c + r, c * r); }, tx::zeros<double>(shape<2>{}), x);
    };
    auto const [end, ys] = tx::function{sums}(xs);
    CHECK(tx::equal(end, vec{9, 12}));
    CHECK(tx::equal(ys, rows{{0, 0}, {3, 8}, {20, 36}}));
    auto const backwards = [](auto x) {
        return tx::scan([](auto c, auto r) { return std::pair(c * 0.5 + r, c); }, tx::zeros<double>(shape<2>{}), x,
                        {.reverse = true});
    };
    auto const [first, before] = tx::function{backwards}(xs);
    CHECK(tx::equal(first, vec{1 + 0.5 * (3 + 0.5 * 5), 2 + 0.5 * (4 + 0.5 * 6)}));
    CHECK(tx::equal(before, rows{{5.5, 7}, {5, 6}, {0, 0}}));
    auto const total = [](auto x) { return tx::scan([](auto c, auto r) { return std::pair(c + r, c); }, 7.0, x); };
    auto const [same, none] = tx::function{total}(open_vec{});
    CHECK(same.item() == 7);
    CHECK(none.size() == 0);
}

TEST_CASE("fori_loop, map, switch_case") {
    check_all([](auto x) { return tx::fori_loop(0, 10, [](auto i, auto a) { return a + i; }, x); }, vec{1, 2}, vec{46, 47});
    check_all([](auto x) { return tx::fori_loop(5, 5, [](auto i, auto a) { return a + i; }, x); }, vec{1, 2}, vec{1, 2});
    tx::function const open{[](auto n, auto x) { return tx::fori_loop(0, n, [](auto i, auto a) { return a * (i + 1); }, x); }};
    CHECK(tx::equal(open(4, vec{1, 2}), vec{24, 48}));
    CHECK(tx::equal(open(0, vec{1, 2}), vec{1, 2}));
    check_all([](auto x) { return tx::map([](auto r) { return tx::sum(r) * 2; }, x); }, rows{{1, 2}, {3, 4}, {5, 6}},
              tensor<double, shape<3>>{6, 14, 22});
    auto const cases = std::tuple([](auto a) { return a + 1; }, [](auto a) { return a * 10; }, [](auto a) { return -a; });
    tx::function const chosen{[=](auto k, auto x) { return tx::switch_case(k, cases, x); }};
    CHECK(tx::equal(chosen(-3, vec{1, 2}), vec{2, 3}));
    CHECK(tx::equal(chosen(1, vec{1, 2}), vec{10, 20}));
    CHECK(tx::equal(chosen(9, vec{1, 2}), vec{-1, -2}));
}

TEST_CASE("loops within loops, and branches within them") {
    auto const f = [](auto x) {
        return tx::fori_loop(
            0, 3,
            [](auto i, auto a) {
                auto const b = tx::fori_loop(0, 2, [&](auto k, auto c) { return c + i * k; }, a);
                return tx::cond(tx::sum(b) > 5, [&] { return b - 1; }, [&] { return b; });
            },
            x);
    };
    check_all(f, vec{1, 2}, vec{3, 4});
}

TEST_CASE("derivatives of while_loop: Newton's iteration for the square root") {
    single const three(3);
    CHECK(tx::function{newton}(three).item() == doctest::Approx(std::sqrt(3.0)).epsilon(1e-14));
    CHECK(tx::function{slope}(three).item() == doctest::Approx(0.5 / std::sqrt(3.0)).epsilon(1e-13));
    auto const second = [](auto a) { return tx::grad(slope)(a); };
    CHECK(tx::function{second}(three).item() == doctest::Approx(-0.25 * std::pow(3.0, -1.5)).epsilon(1e-12));
    auto const forward = [](auto a) { return tx::jvp(newton)(a, tx::ones_like(a)); };
    CHECK(tx::function{forward}(three).second.item() == doctest::Approx(0.5 / std::sqrt(3.0)).epsilon(1e-13));
}

TEST_CASE("derivatives of scan: finite differences, in both modes") {
    rows const xs{{.1, .2}, {.3, .4}, {.5, .6}};
    vec const w{.5, .7}, c{.1, -.2};
    auto const loss = [](vec const& weights, vec const& start, rows const& x) {
        double state[]{start(0), start(1)}, total = 0;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 2; ++k) {
                state[k] = std::tanh(state[k] * weights(k) + x(i, k));
                total += state[k] * x(i, k) * state[k] * x(i, k);
            }
        return total + state[0] + state[1];
    };
    auto const [by_w, by_c, by_x] =
        tx::function{[](auto a, auto b, auto x) { return tx::grad<0, 1, 2>(leaky)(a, b, x); }}(w, c, xs);
    double const h = 1e-6;
    CHECK(by_w(0) == doctest::Approx((loss(vec{.5 + h, .7}, c, xs) - loss(vec{.5 - h, .7}, c, xs)) / (2 * h)).epsilon(1e-7));
    CHECK(by_c(1) == doctest::Approx((loss(w, vec{.1, -.2 + h}, xs) - loss(w, vec{.1, -.2 - h}, xs)) / (2 * h)).epsilon(1e-7));
    rows const more{{.1, .2}, {.3 + h, .4}, {.5, .6}}, less{{.1, .2}, {.3 - h, .4}, {.5, .6}};
    CHECK(by_x(1, 0) == doctest::Approx((loss(w, c, more) - loss(w, c, less)) / (2 * h)).epsilon(1e-7));
    auto const along = [](auto a, auto b, auto x) { return tx::jvp(leaky)(a, b, x, tx::ones_like(a), b * 0, x * 0); };
    CHECK(tx::function{along}(w, c, xs).second.item() == doctest::Approx(by_w(0) + by_w(1)).epsilon(1e-12));
}

TEST_CASE("effects within loops happen at each iteration, in order") {
    std::string lines;
    tx::on_print([&](std::string const& line) { lines += line + ';'; });
    tx::function const f{[](auto x) {
        return tx::fori_loop(
            0, 3,
            [](auto i, auto a) {
                tx::print("{}: {}", i, a);
                return a * 2;
            },
            x);
    }};
    CHECK(f(single(1)).item() == 8);
    tx::on_print(nullptr);
    CHECK(lines == "0: 1.0;1: 2.0;2: 4.0;");
}
