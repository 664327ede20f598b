// This file tests that constants which are costly to compute are computed by the first call that needs them, and kept.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace {

using tx::shape;
template <std::int64_t... E> using floats = tx::tensor<float, shape<E...>>;

template <class Graph> int count(Graph const& g, tx::kind kind) {
    int found = 0;
    for (tx::node const& n : g) found += tx::info(n.code).kind == kind;
    return found;
}
template <class Graph> int count(Graph const& g, tx::op code) {
    int found = 0;
    for (tx::node const& n : g) found += n.code == code;
    return found;
}

constexpr auto mixed = [](auto x) {
    auto const sides = tx::reshape(tx::arange<float, 256>(), shape<16, 16>{});
    auto const product = tx::matmul(sides, tx::transpose(sides));
    return x + product / tx::sum(product) + tx::cumsum(sides, tx::axis<0>);
};
constexpr auto positions = [](auto x) { return x + tx::sin(tx::arange<float, 500>() * 0.01f); };

} // namespace

TEST_CASE("kept constants: a call doesn't compute them again") {
    tx::function const f{mixed};
    auto const c = f.concrete<tx::spec<float, shape<16, 16>>>();
    CHECK(count(c.trace(), tx::op::matmul) == 1);
    CHECK(count(c.graph(), tx::kind::contraction) + count(c.graph(), tx::kind::reduction) + count(c.graph(), tx::kind::scan) == 0);
    CHECK(count(c.graph(), tx::op::capture) == 3);
    auto const want = mixed(tx::ones<float>(shape<16, 16>{}));
    for (int k = 0; k < 3; ++k) {
        auto const got = f(tx::ones<float>(shape<16, 16>{}));
        for (int i = 0; i < 256; ++i) REQUIRE(got.data()[i] == doctest::Approx(want.data()[i]));
    }
}
TEST_CASE("kept constants: what is updated further is copied, and a few additions to it are as soon done anew") {
    constexpr auto rosenbrock = [](auto x) {
        auto const head = tx::slice(x, tx::range<0, -1>), tail = tx::slice(x, tx::range<1, tx::open>);
        return tx::sum(100.0 * tx::square(tail - tx::square(head)) + tx::square(1.0 - head));
    };
    tx::function const f{tx::hessian(rosenbrock)};
    CHECK(count(f.concrete<tx::spec<double, shape<10>>>().graph(), tx::op::capture) == 0);
    CHECK(f(tx::ones<double>(shape<10>{}))(1, 1) == doctest::Approx(1002));
}
TEST_CASE("kept constants: functions of <cmath> are tables, what is cheap is none") {
    tx::function const f{positions};
    auto const c = f.concrete<tx::spec<float, shape<500>>>();
    CHECK(count(c.graph(), tx::op::sin) == 0);
    CHECK(f(tx::zeros<float>(shape<500>{}))(100) == doctest::Approx(std::sin(1.0)));
    tx::function const masked{[](auto x) { return x * tx::tril(tx::ones<float>(shape<128, 128>{})) + tx::arange<float, 128>(); }};
    CHECK(count(masked.concrete<tx::spec<float, shape<128, 128>>>().graph(), tx::op::capture) == 0);
}
TEST_CASE("kept constants: results of their own, of open extents, and within gradients") {
    tx::function const f{[](auto x) { return std::pair(x, tx::cumsum(tx::ones<int>(shape<300>{}))); }};
    auto changed = f(floats<>(1)).second;
    changed.mutable_data()[299] = 0;
    CHECK(f(floats<>(1)).second(299) == 300);
    tx::function const g{tx::grad([](auto x) { return tx::sum(x * tx::cumsum(tx::ones<float>(shape<200>{}))); })};
    CHECK(g(floats<200>{})(199) == 200);
    tx::function const open{[](auto x) { return x * tx::sum(tx::arange<float, 1000>()); }};
    CHECK(open(tx::full<float, shape<tx::dyn>>(2, 7))(6) == 999000);
    CHECK(open(tx::full<float, shape<tx::dyn>>(2, 9))(8) == 999000);
    floats<16, 16> into;
    tx::function const h{mixed};
    h.into(into, into);
    CHECK(into(0, 0) == h(floats<16, 16>{})(0, 0));
}
TEST_CASE("kept constants: the first call may be several threads'") {
    tx::function const f{[](auto x) { return x + tx::sum(tx::exp(tx::arange<double, 2000>() * 0.0), tx::axis<0>); }};
    std::vector<double> got(4);
    std::vector<std::thread> threads;
    for (double& result : got) threads.emplace_back([&] { result = f(tx::tensor<double, shape<>>(1)).item(); });
    for (std::thread& t : threads) t.join();
    for (double const result : got) CHECK(result == 2001);
}

TEST_CASE("kept constants: matrices taken apart have several results") {
    using matrix = tx::tensor<double, shape<2, 2>>;
    tx::tensor<double, shape<2>> const x{1, 2};
    auto const a = [] { return matrix{{1, 4}, {3, 1}}; };
    tx::function const scaled{[=](auto v) { return v * tx::linalg::det(a()); }};
    tx::function const solved{[=](auto v) { return tx::linalg::solve(a(), v); }};
    tx::function const moved{[=](auto v) { return v + tx::linalg::eigvalsh(matrix{{2, 1}, {1, 3}}); }};
    auto const close = [](auto const& y, double first, double second) {
        CHECK(y(0) == doctest::Approx(first).epsilon(1e-12));
        CHECK(y(1) == doctest::Approx(second).epsilon(1e-12));
    };
    for (int call = 0; call < 2; ++call) {
        close(scaled(x), -11, -22);
        close(solved(x), 7 / 11.0, 1 / 11.0);
        close(moved(x), 1 + (5 - std::sqrt(5.0)) / 2, 2 + (5 + std::sqrt(5.0)) / 2);
    }
    auto const slope = tx::grad([=](auto v) { return tx::sum(tx::linalg::solve(a(), v)); })(x);
    close(slope, 2 / 11.0, 3 / 11.0);
}
