// Control flow and effects: branches and loops on the values of tensors, what is done when a graph runs, and C++ that graphs call.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using scalar = tx::tensor<double, tx::shape<>>;
using vec = tx::tensor<double, tx::shape<3>>;

TEST_CASE("cond") {
    tx::function f{[](auto x) {
        return tx::cond(tx::sum(x) > 10, [&] { return x / tx::sum(x); }, [&] { return x; }); // only the branch taken runs
    }};
    CHECK(tx::equal(f(vec{1, 2, 3}), vec{1, 2, 3}));
    CHECK(tx::equal(f(vec{10, 5, 5}), vec{0.5, 0.25, 0.25}));
}

TEST_CASE("switch_case") {
    auto const cases = std::tuple([](auto x) { return x; }, [](auto x) { return x * x; }, [](auto x) { return -x; });
    tx::function f{[=](auto k, auto x) { return tx::switch_case(k, cases, x); }};
    CHECK(f(1, scalar(3.0)).item() == 9);
    CHECK(f(7, scalar(3.0)).item() == -3); // clamped to the last case
}

TEST_CASE("while_loop, max_iterations") {
    tx::function root{[](auto a) {
        return tx::while_loop([=](auto x) { return tx::abs(x * x - a) > 1e-12; }, [=](auto x) { return 0.5 * (x + a / x); }, a);
    }};
    CHECK(root(scalar(2.0)).item() == doctest::Approx(1.4142135623730951));
    tx::function doubled{[](auto x) {
        return tx::while_loop(tx::max_iterations(3), [](auto y) { return y > 0; }, [](auto y) { return 2 * y; }, x);
    }};
    CHECK(doubled(scalar(1.0)).item() == 8);
}

TEST_CASE("fori_loop") {
    tx::function f{[](auto x) { return tx::fori_loop(0, 4, [](auto i, auto y) { return y + i; }, x); }};
    CHECK(f(scalar(0.0)).item() == 6);
}

TEST_CASE("scan, scan_options") {
    constexpr auto add = [](auto total, auto x) { return std::pair(total + x, total + x); }; // the next carry, and a y
    auto const [last, sums] = tx::scan(add, scalar(0.0), vec{1, 2, 3});
    CHECK(last.item() == 6);
    CHECK(tx::equal(sums, vec{1, 3, 6}));
    CHECK(tx::equal(std::get<1>(tx::scan(add, scalar(0.0), vec{1, 2, 3}, tx::scan_options{.reverse = true})), vec{6, 5, 3}));
}

TEST_CASE("map") {
    tx::tensor<double, tx::shape<3, 2>> const rows{{1, 2}, {3, 4}, {5, 6}};
    CHECK(tx::equal(tx::map([](auto row) { return tx::sum(row); }, rows), vec{3, 7, 11}));
}

TEST_CASE("associative_scan, associative_scan_options") {
    auto const add = [](auto a, auto b) { return a + b; };
    CHECK(tx::equal(tx::associative_scan(add, vec{1, 2, 3}), vec{1, 3, 6}));
    CHECK(tx::equal(tx::associative_scan(add, vec{1, 2, 3}, tx::associative_scan_options{.reverse = true}), vec{6, 5, 3}));
}

TEST_CASE("print, on_print, print_text") {
    std::vector<std::string> lines;
    tx::on_print([&](std::string const& line) { lines.push_back(line); }); // instead of the standard output
    tx::function f{[](auto x) {
        tx::print("sum {}", tx::sum(x)); // whenever the graph runs; the text is a tx::print_text, checked by the compiler
        return x;
    }};
    f(vec{1, 2, 3});
    f(vec{1, 1, 1});
    tx::on_print(nullptr);
    CHECK(lines == std::vector<std::string>{"sum 6.0", "sum 3.0"});
}

TEST_CASE("assert_that, check_finite, assertion_error") {
    tx::function f{[](auto x) {
        tx::assert_that(tx::all(x > 0), "not positive: {}", x);
        return tx::log(x);
    }};
    CHECK(tx::equal(f(vec{1, 1, 1}), vec{0, 0, 0}));
    CHECK_THROWS_WITH_AS(f(vec{1, -1, 2}), "tx: assert_that: not positive: [ 1. -1.  2.]", tx::assertion_error);
    CHECK_THROWS_AS(tx::check_finite(tx::log(scalar(0.0)), "loss"), tx::assertion_error);
}

TEST_CASE("opaque") {
    constexpr auto halved = [](auto x) { // any C++, on tensors with values; differentiable
        return x.item() > 1 ? scalar(x / 2) : scalar(x);
    };
    tx::function f{[=](auto x) { return tx::opaque<tx::spec<double, tx::shape<>>>(halved, x); }};
    CHECK(f(scalar(3.0)).item() == 1.5);
    tx::function slope{tx::grad(f)};
    CHECK(slope(scalar(3.0)).item() == 0.5);
}

TEST_CASE("host_callback") {
    tx::function f{[](auto x) { // spans of elements; no derivative
        return tx::host_callback<tx::spec<double, tx::shape<3>>>(
            [](std::span<double const> in, std::span<double> out) {
                for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
            },
            x);
    }};
    CHECK(tx::equal(f(vec{1, 2, 3}), vec{2, 4, 6}));
}
