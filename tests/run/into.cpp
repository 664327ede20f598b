// This file tests function::into: existing results, aliasing, no allocation.
#include <counted_memory.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

using tx::testing::allocations_in_steady_state;
bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

constexpr auto body = [](auto x, auto y) { return tx::tanh(x) * y - tx::mean(x); };
constexpr auto several = [](auto x) { return std::pair{x + 1, std::array{x * 2, x * 3}}; };

} // namespace

TEST_CASE("into: allocates nothing in the steady state") {
    SUBCASE("small") {
        tx::function g{body};
        tensor<float, shape<8>> const x{1, 2, 3, 4, 5, 6, 7, 8};
        tensor<float, shape<8>> out;
        CHECK(allocations_in_steady_state([&] { g.into(out, x, 2); }) == 0);
        CHECK(same(out, g(x, 2)));
        CHECK(allocations_in_steady_state([&] { out = g(x, 2); }) == 0);
    }
    SUBCASE("on the heap") {
        tx::function g{body};
        auto const x = tx::linspace<double, 1000>(0., 1.);
        auto out = x;
        CHECK(allocations_in_steady_state([&] { g.into(out, x, 2); }) == 0);
        CHECK(same(out, g(x, 2)));
    }
    SUBCASE("extents known at run time") {
        tx::function g{body};
        auto const x = tx::ones<double, shape<dyn, dyn>>(30, 40);
        tensor<double, shape<dyn, dyn>> out;
        CHECK(allocations_in_steady_state([&] { g.into(out, x, 2); }) == 0);
        CHECK(same(out, g(x, 2)));
    }
    SUBCASE("several results") {
        tx::function g{several};
        auto const x = tx::ones<float, shape<dyn>>(100);
        auto out = g(x);
        CHECK(allocations_in_steady_state([&] { g.into(out, x); }) == 0);
    }
    SUBCASE("concrete") {
        auto const c = tx::function{several}.concrete<tx::spec<float, shape<200>>>();
        auto const x = tx::ones<float>(shape<200>{});
        auto out = c(x);
        CHECK(allocations_in_steady_state([&] { c.into(out, x); }) == 0);
    }
}

TEST_CASE("into: a call that throws changes nothing") {
    using matrix = tensor<double, shape<2, 2>>;
    matrix const ones{{1, 1}, {1, 1}}, indefinite{{1, 2}, {2, 1}};
    matrix factor = ones;
    CHECK_THROWS_AS((tx::function{[](auto x) { return tx::linalg::cholesky(x); }}.into(factor, indefinite)), tx::error);
    CHECK(same(factor, ones));
    std::pair both{ones, ones};
    tx::function const factored{[](auto x) { return std::pair(x * 2, tx::linalg::cholesky(x)); }};
    CHECK_THROWS_AS(factored.into(both, indefinite), tx::error);
    CHECK(same(both.first, ones));
    CHECK(same(both.second, ones));

    // Gradients of lookups, and what stands beside them.
    tx::function const loss{tx::value_and_grad([](auto x, auto i) { return tx::sum(tx::logsumexp(x, tx::axis<1>) - tx::squeeze(tx::take_along_axis(x, i, tx::axis<1>), tx::axis<1>)); })};
    tx::function const rows{[](auto x, auto i) { return std::pair(x * 2, tx::take(x, i + tx::cast<std::int64_t>(tx::sum(x) * 0), tx::axis<0>)); }};
    tensor<float, shape<dyn, 3>> const x(tensor<float>{{1, 2, 3}, {4, 5, 6}});
    auto const check = [&](auto const& f, auto out, auto const& good, auto const& bad) {
        f.into(out, x, good);
        auto const before = out;
        CHECK_THROWS_AS(f.into(out, x, bad), tx::shape_error);
        CHECK(same(out.first, before.first));
        CHECK(same(out.second, before.second));
    };
    using column = tensor<std::int64_t, shape<dyn, 1>>;
    check(loss, std::pair{tensor<float, shape<>>{}, tensor<float, shape<dyn, 3>>{}}, column(tensor<std::int64_t>{{0}, {2}}), column(tensor<std::int64_t>{{0}, {3}}));
    using indices = tensor<std::int64_t, shape<2>>;
    check(rows, std::pair{tensor<float, shape<dyn, 3>>{}, tensor<float, shape<2, 3>>{}}, indices{0, 1}, indices{0, 2}); // indices that are computed
    // Ranks of an axis without elements.
    tx::function const middles{[](auto y, auto z) { return std::pair(y * 2, tx::median(z)); }};
    using vector = tensor<float, shape<dyn>>;
    check(middles, std::pair{tensor<float, shape<dyn, 3>>{}, tensor<float, shape<>>{}}, vector{1, 2}, vector(0));
    column const labels(tensor<std::int64_t>{{2}, {-1}});
    std::pair<tensor<float, shape<>>, tensor<float, shape<dyn, 3>>> out;
    CHECK(allocations_in_steady_state([&] { loss.into(out, x, labels); }) == 0);
}

TEST_CASE("into: results that are arguments, or share their elements") {
    tx::function flip{[](auto x, auto y) { return tx::flip(x) + y; }};
    SUBCASE("static") {
        tensor<int, shape<4>> x{1, 2, 3, 4};
        flip.into(x, x, x);
        CHECK(same(x, tensor<int, shape<4>>{5, 5, 5, 5}));
    }
    SUBCASE("dyn, on the heap") {
        tensor<int, shape<dyn>> x{1, 2, 3, 4}, kept = x;
        flip.into(x, x, 1);
        CHECK(same(x, tensor<int, shape<dyn>>{5, 4, 3, 2}));
        CHECK(same(kept, tensor<int, shape<dyn>>{1, 2, 3, 4}));
        auto shared = x;
        flip.into(shared, kept, 0);
        CHECK(same(x, tensor<int, shape<dyn>>{5, 4, 3, 2}));
        CHECK(same(shared, tensor<int, shape<dyn>>{4, 3, 2, 1}));
    }
    SUBCASE("one of several") {
        tx::function swap{[](auto x, auto y) { return std::pair{y, x}; }};
        std::pair p{tensor<int, shape<3>>{1, 2, 3}, tensor<int, shape<3>>{4, 5, 6}};
        swap.into(p, p.first, p.second);
        CHECK(same(p.first, tensor<int, shape<3>>{4, 5, 6}));
        CHECK(same(p.second, tensor<int, shape<3>>{1, 2, 3}));
    }
    SUBCASE("a scalar that is an argument") {
        tx::function step{[](auto t, auto x) { return t + tx::sum(x); }};
        tensor<float, shape<>> total(1.f);
        step.into(total, total, tensor<float, shape<2>>{1, 2});
        CHECK(total.item() == 4);
    }
}

TEST_CASE("into: extents of the result change with the arguments'") {
    tx::function g{[](auto x) { return x * 2; }};
    tensor<float, shape<dyn>> out;
    g.into(out, tensor<float, shape<dyn>>{1, 2, 3});
    CHECK(same(out, tensor<float, shape<dyn>>{2, 4, 6}));
    g.into(out, tensor<float, shape<dyn>>{1});
    CHECK(same(out, tensor<float, shape<dyn>>{2}));
    g.into(out, tensor<float, shape<dyn>>{});
    CHECK(out.size() == 0);
    SUBCASE("an error changes nothing") {
        tx::function sum{[](auto x, auto y) { return x + y; }};
        out = {1, 2};
        CHECK_THROWS_AS(sum.into(out, tensor<float, shape<dyn>>{1, 2}, tensor<float, shape<dyn>>{1, 2, 3}), tx::shape_error);
        CHECK(same(out, tensor<float, shape<dyn>>{1, 2}));
    }
}

TEST_CASE("into: scalars of every size, by value") {
    using number = tx::dual<tx::dual<double>>;
    using scalar = tensor<number, shape<>>;
    number const x{{2, 1}, {1, 0}}, y{{5, 0}, {0, 0}};
    // x y = (10, 5; 5, 0)
    auto const is_product = [](scalar const& out) {
        number const z = out.item();
        return z.value.value == 10 && z.value.tangent == 5 && z.tangent.value == 5 && z.tangent.tangent == 0;
    };
    auto const check = [&](auto const& f) {
        scalar const a(x), b(y);
        scalar out;
        f.into(out, a, b);
        CHECK(is_product(out));
        f.into(out, x, y);
        CHECK(is_product(out));
        scalar in_place(x);
        f.into(in_place, in_place, b);
        CHECK(is_product(in_place));
    };
    double const one = 1;
    check(tx::function{[](auto a, auto b) { return a * b; }});
    check(tx::function{[one](auto a, auto b) { return a * b * one; }});
    using wide = std::complex<double>;
    tx::function swapped{[](auto a, auto b) { return std::pair{b * 1, a * 1}; }};
    std::pair<tensor<wide, shape<>>, tensor<wide, shape<>>> pair{wide(1, 2), wide(3, 4)};
    swapped.into(pair, pair.first, pair.second);
    CHECK(pair.first.item() == wide(3, 4));
    CHECK(pair.second.item() == wide(1, 2));
}
