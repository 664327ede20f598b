// This file tests tx::extent, tx::size and shapes made of them in what the compiler traces and the program runs. Expected values
// are computed by hand.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::any_shape;
using tx::dyn;
using tx::extent;
using tx::shape;
using tx::tensor;

namespace {

using vec = tensor<float, shape<dyn>>;
bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

constexpr auto mean_of = [](auto x) { return tx::sum(x) / extent<0>(x); };
// Neighbours' means, padded with a zero at either end.
constexpr auto smoothed = [](auto x) {
    auto const zero = tx::zeros<float, shape<dyn>>(extent<0>(x) - extent<0>(x) + 1);
    auto const wide = tx::concat(tx::axis<0>, zero, x, zero);
    return (tx::slice(wide, tx::range<0, -2>) + tx::slice(wide, tx::range<2, tx::open>)) / 2;
};
constexpr auto halves = [](auto x) { return tx::reshape<shape<dyn, 2>>(x, extent<0>(x) / 2, 2) * tx::arange<float>(2); };

} // namespace

TEST_CASE("extent: one trace of the compiler for all extents") {
    tx::static_function f{mean_of};
    static_assert(std::is_same_v<decltype(f(vec{})), tensor<float, shape<>>>);
    CHECK(f(vec{1, 2, 3, 4}).item() == 2.5f);
    CHECK(f(vec{1, 2, 6}).item() == 3);
    CHECK(f.tracing_count() == 1);
    tx::static_function g{smoothed};
    CHECK(same(g(vec{2, 4, 8}), vec{2, 5, 2}));
    CHECK(same(g(vec{2}), vec{0}));
    vec out;
    g.into(out, vec{2, 4, 8, 2});
    CHECK(same(out, vec{2, 5, 3, 4}));
    tx::static_function h{halves};
    CHECK(same(h(vec{1, 2, 3, 4}), tensor<float>{{0, 2}, {0, 4}}));
    CHECK_THROWS_WITH_AS(h(vec{1, 2, 3}), "tx: reshape: the size must stay the same; given (3,), (1, 2)", tx::shape_error);
    CHECK(same(h.concrete<tx::spec<float, shape<dyn>>>()(vec{1, 2}), tensor<float>{{0, 2}}));
}

TEST_CASE("extent: of several arguments, and of what is computed") {
    tx::static_function f{[](auto x, auto y) {
        auto const rows = extent<0>(x) + extent<0>(y);
        auto const columns = extent<-1>(x);
        auto const joined = tx::concat(tx::axis<0>, x, y);
        return std::tuple(tx::full<double, shape<dyn, dyn>>(0.5, rows, columns * 2), joined * tx::eye<float>(extent<0>(joined), columns), tx::size(x) + tx::size(y) - tx::size(joined));
    }};
    using matrix = tensor<float, shape<dyn, 2>>;
    auto const [a, b, c] = f(matrix{{1, 2}}, matrix{{3, 4}, {5, 6}});
    CHECK(same(a, tensor<double>(tx::full<double, any_shape>(0.5, 3, 4))));
    CHECK(same(b, tensor<float>{{1, 0}, {0, 4}, {0, 0}}));
    CHECK(c.item() == 0);
}

TEST_CASE("extent: of a captured tensor at its extents of each run") {
    static vec table{1, 2, 3};
    tx::function f{[](auto x) { return x / tx::size(x * 2 + table) + 0 * tx::sum(table); }};
    CHECK(same(f(vec{6}), vec{2}));
    table = vec{1, 2};
    CHECK(same(f(vec{6}), vec{3}));
}

TEST_CASE("extent: integers that only the run knows, compared with narrower ones") {
    using bytes = tensor<std::uint8_t, shape<2>>;
    using flags = tensor<bool, shape<2>>;
    bytes const u{1, 200};
    vec const many = tx::zeros<float, shape<dyn>>(300);
    tx::static_function below{[](auto x, auto b) { return b < extent<0>(x); }};
    CHECK(tx::equal(below(many, u), flags{true, true}));
    tx::static_function below_scalar{[](auto b, auto s) { return b < s; }};
    CHECK(tx::equal(below_scalar(u, 300), flags{true, true}));
    CHECK(tx::equal(below_scalar(u, 100), flags{true, false}));
    tx::static_function equals_scalar{[](auto b, auto s) { return s == b; }};
    CHECK(tx::equal(equals_scalar(u, 257), flags{false, false}));
    CHECK(tx::equal(u < 300, flags{true, true}));
    CHECK(tx::equal(u < 100, flags{true, false}));
    CHECK(tx::equal(-1 < u, flags{true, true}));
}

TEST_CASE("extent: shapes that turn out to be impossible throw when the call is planned") {
    tx::static_function f{[](auto x) { return tx::ones<float, shape<dyn>>(extent<0>(x) - 3); }};
    CHECK(same(f(vec{1, 2, 3, 4}), vec{1}));
    CHECK(f(vec{1, 2, 3}).size() == 0);
    CHECK_THROWS_WITH_AS(f(vec{1, 2}), "tx: extents: must not be negative; given (-1,)", tx::shape_error);
    tx::static_function huge{[](auto x) {
        auto const many = tx::extent<0>(x) * (std::int64_t{1} << 31);
        return tx::sum(tx::ones<float, shape<dyn, dyn>>(many, many));
    }};
    CHECK_THROWS_WITH_AS(huge(vec{1, 2, 3, 4}), doctest::Contains("must not be more than memory can be"), tx::shape_error);
    // Where the type tells an extent, it is compared with that of each call.
    tx::function g{[](auto x) { return tx::zeros<float, shape<dyn, 3>>(2, extent<0>(x)) + tx::sum(x); }};
    CHECK(same(g(vec{1, 2, 3}), tensor<float>{{6, 6, 6}, {6, 6, 6}}));
    CHECK_THROWS_WITH_AS(g(vec{1, 2}), "tx: zeros: extents must be those that the type tells; given (2, 2)", tx::shape_error);
}
