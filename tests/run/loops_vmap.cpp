// This file tests loops under tx::vmap, against one example after the other and closed forms.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <cmath>

using tx::shape;
using tx::tensor;
using tx::testing::in_all;
using four = tensor<double, shape<4>>;

namespace {

constexpr auto newton = [](auto a) {
    return tx::while_loop([=](auto x) { return tx::abs(x * x - a) > 1e-12; }, [=](auto x) { return 0.5 * (x + a / x); }, a);
};
constexpr auto collatz = [](auto n) {
    auto const [last, steps] = tx::while_loop(
        [](auto k, auto) { return k != 1; },
        [](auto k, auto count) { return std::tuple(tx::where(k % 2 == 0, tx::floor_divide(k, 2), 3 * k + 1), count + 1); }, n,
        n * 0);
    static_cast<void>(last);
    return steps;
};
bool close(auto const& a, auto const& b) { return tx::all(tx::abs(a - b) < 1e-9).item(); }

} // namespace

TEST_CASE("loops under vmap: each example goes round as often as it would alone") {
    in_all(tx::vmap(newton), [](auto const& f) { CHECK(close(f(four{2, 9, 100, 1}), four{std::sqrt(2.0), 3, 10, 1})); });
    in_all(tx::vmap(collatz), [](auto const& f) {
        CHECK(tx::equal(f(tensor<std::int64_t, shape<5>>{1, 2, 3, 27, 97}), tensor<std::int64_t, shape<5>>{0, 1, 7, 111, 118}));
    });
    tensor<std::int64_t, shape<tx::dyn>> const open{27, 1, 3};
    CHECK(tx::equal(tx::function{tx::vmap(collatz)}(open), tensor<std::int64_t, shape<tx::dyn>>{111, 0, 7}));
    in_all(tx::vmap(tx::vmap(collatz)), [](auto const& f) {
        CHECK(tx::equal(f(tensor<std::int64_t, shape<2, 2>>{{1, 2}, {3, 27}}),
                        tensor<std::int64_t, shape<2, 2>>{{0, 1}, {7, 111}}));
    });
}

TEST_CASE("loops under vmap: counted loops, scans with what the examples share, and without") {
    in_all(tx::vmap([](auto x) { return tx::fori_loop(0, 3, [](auto i, auto s) { return s * 2.0 + i; }, x); }),
           [](auto const& f) { CHECK(tx::equal(f(four{1, 2, 9, 100}), four{12, 20, 76, 804})); });
    auto const scanned = [](auto x, auto w) {
        auto const [last, ys] = tx::scan([w](auto k, auto v) { return std::pair(k + v * w, k * v); }, w * 0, x);
        return std::tuple(last, ys);
    };
    tensor<double, shape<2, 3>> const xs{{1, 2, 3}, {4, 5, 6}};
    tensor<double, shape<2>> const ws{1, 10};
    tensor<double, shape<>> const one(1.0);
    in_all(tx::vmap<0, tx::none>(scanned), [&](auto const& f) {
        auto const [last, ys] = f(xs, one);
        CHECK(tx::equal(last, tensor<double, shape<2>>{6, 15}));
        CHECK(tx::equal(ys, tensor<double, shape<2, 3>>{{0, 2, 9}, {0, 20, 54}}));
    });
    in_all(tx::vmap<tx::none, 0>(scanned), [&](auto const& f) {
        auto const [last, ys] = f(tensor<double, shape<3>>{1, 2, 3}, ws);
        CHECK(tx::equal(last, tensor<double, shape<2>>{6, 60}));
        CHECK(tx::equal(ys, tensor<double, shape<2, 3>>{{0, 2, 9}, {0, 20, 90}}));
    });
    in_all(tx::vmap([](auto n) {
               return tx::while_loop([](auto i, auto) { return i < 5; }, [n](auto i, auto s) { return std::tuple(i + 1, s + n); },
                                     tensor<int, shape<>>(0), n * 0);
           }),
           [](auto const& f) { CHECK(tx::equal(std::get<1>(f(four{1, 2, 3, 4})), four{5, 10, 15, 20})); });
}

TEST_CASE("loops under vmap: derivatives of the mapped loop, and of each example") {
    in_all(tx::grad([](auto x) { return tx::sum(tx::vmap(newton)(x)); }), [](auto const& g) {
        four const x{2, 9, 100, 3};
        CHECK(close(g(x), 0.5 / tx::sqrt(x)));
    });
    in_all(tx::vmap(tx::grad([](auto x) {
               auto const [last, ys] = tx::scan([](auto k, auto v) { return std::pair(k * v, k + v); }, tx::sum(x) * 0 + 1, x);
               return last + tx::sum(ys);
           })),
           [](auto const& g) {
               CHECK(tx::equal(g(tensor<double, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}}),
                               tensor<double, shape<2, 3>>{{10, 5, 3}, {37, 29, 21}}));
           });
}

TEST_CASE("while_loop: at most so many iterations") {
    auto const halved = [](auto x) {
        return tx::while_loop(tx::max_iterations(3), [](auto v) { return v > 1; }, [](auto v) { return v / 2; }, x);
    };
    in_all(halved, [](auto const& f) {
        CHECK(f(tensor<double, shape<>>(64.0)).item() == 8);
        CHECK(f(tensor<double, shape<>>(2.0)).item() == 1);
        CHECK(f(tensor<double, shape<>>(0.5)).item() == 0.5);
    });
    in_all(tx::grad(halved), [](auto const& g) {
        CHECK(g(tensor<double, shape<>>(64.0)).item() == 0.125);
        CHECK(g(tensor<double, shape<>>(3.0)).item() == 0.25);
    });
    in_all(
        [](auto x) {
            return tx::while_loop(
                tx::max_iterations(10), [](auto a, auto b) { return a + b < 100; },
                [](auto a, auto b) { return std::tuple(b, a + b); }, x, x);
        },
        [](auto const& f) {
            auto const [a, b] = f(tensor<double, shape<>>(1.0));
            CHECK(a.item() == 55);
            CHECK(b.item() == 89);
        });
}

TEST_CASE("loops: the compiler differentiates a while_loop within a scan") {
    auto const roots = [](auto xs) { // the sum of square roots, each by Newton's iteration
        return tx::scan([](auto sum, auto x) { return std::pair(sum + newton(x), sum); }, tx::sum(xs) * 0, xs).first;
    };
    tx::static_function const reverse{tx::grad(roots)};
    tx::static_function const forward{tx::jvp(roots)};
    four const x{2, 9, 100, 3};
    CHECK(close(reverse(x), 0.5 / tx::sqrt(x)));
    CHECK(std::abs(std::get<1>(forward(x, four{1, 0, 0, 0})).item() - 0.5 / std::sqrt(2.0)) < 1e-9);
}
