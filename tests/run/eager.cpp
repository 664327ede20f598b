// This file tests ops on tensors, which are computed at once through the kernels of a graph of one op.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

template <class T, class Shape, class From> tensor<T, Shape> as(From const& values) { return tensor<T, Shape>(tensor<T>(values)); }

// fn on static, open and unknown shapes gives `wanted`.
template <class Fn, class W, class WShape, class T, class Shape> void check(Fn fn, tensor<W, WShape> const& wanted, tensor<T, Shape> const& x) {
    auto const close = [&](auto const& got) {
        REQUIRE(got.dimensions() == wanted.dimensions());
        for (std::int64_t i = 0; i < wanted.size(); ++i) CHECK(static_cast<double>(got.data()[i]) == doctest::Approx(static_cast<double>(wanted.data()[i])).epsilon(1e-6));
    };
    { INFO("static"); close(fn(x)); }
    { INFO("open extents"); close(fn(as<T, shape<dyn, dyn>>(x))); }
    { INFO("open rank"); close(fn(tensor<T>(x))); }
}
tensor<float, shape<2, 3>> const x{{1, -2, 3}, {-4, 5, -6}};
tensor<int, shape<2, 3>> const n{{7, -7, 3}, {0, 5, -6}};

} // namespace

TEST_CASE("eager: pointwise ops") {
    check([](auto const& a) { return a + a; }, tensor<float, shape<2, 3>>{{2, -4, 6}, {-8, 10, -12}}, x);
    check([](auto const& a) { return tx::exp(a * 0); }, tensor<float, shape<2, 3>>{{1, 1, 1}, {1, 1, 1}}, x);
    check([](auto const& a) { return tx::where(a > 0, a, 0.f); }, tensor<float, shape<2, 3>>{{1, 0, 3}, {0, 5, 0}}, x);
    check([](auto const& a) { return a % 3; }, tensor<int, shape<2, 3>>{{1, 2, 0}, {0, 2, 0}}, n);
    check([](auto const& a) { return tx::cast<bool>(a); }, tensor<bool, shape<2, 3>>{{true, true, true}, {false, true, true}}, n);
    check([](auto const& a) { return tx::fma(a, 2.f, 1.f); }, tensor<float, shape<2, 3>>{{3, -3, 7}, {-7, 11, -11}}, x);
}

TEST_CASE("eager: == is elementwise, equal is one bool") {
    auto const mask = x == x * tx::sign(x);
    static_assert(std::is_same_v<decltype(mask), tensor<bool, shape<2, 3>> const>);
    CHECK(tx::equal(mask, tensor<bool, shape<2, 3>>{{true, false, true}, {false, true, false}}));
    CHECK(tx::equal(x, x));
    CHECK(!tx::equal(x, x + 1));
    CHECK(!tx::equal(tensor<float>{1, 2}, tensor<float>{{1, 2}}));
}

TEST_CASE("eager: reductions, scans, softmax") {
    check([](auto const& a) { return tx::sum(a, tx::axis<0>); }, tensor<float, shape<3>>{-3, 3, -3}, x);
    check([](auto const& a) { return tx::mean(a); }, tensor<float, shape<>>(-0.5f), x);
    check([](auto const& a) { return tx::argmax(a, tx::axis<1>); }, tensor<std::int64_t, shape<2>>{2, 1}, x);
    check([](auto const& a) { return tx::cumsum(a, tx::axis<1>); }, tensor<float, shape<2, 3>>{{1, -1, 2}, {-4, 1, -5}}, x);
    check([](auto const& a) { return tx::sum(tx::softmax(a, tx::axis<-1>), tx::axis<-1>); }, tensor<float, shape<2>>{1, 1}, x);
}

TEST_CASE("eager: views, joins, lookups, products") {
    check([](auto const& a) { return tx::transpose(a); }, tensor<float, shape<3, 2>>{{1, -4}, {-2, 5}, {3, -6}}, x);
    check([](auto const& a) { return tx::flip(a); }, tensor<float, shape<2, 3>>{{-6, 5, -4}, {3, -2, 1}}, x);
    check([](auto const& a) { return tx::reshape<-1>(a); }, tensor<float, shape<6>>{1, -2, 3, -4, 5, -6}, x);
    check([](auto const& a) { return tx::matmul(a, tx::transpose(a)); }, tensor<float, shape<2, 2>>{{14, -32}, {-32, 77}}, x);
    CHECK(tx::equal(tx::concat(tx::axis<0>, x, x), tensor<float, shape<4, 3>>{{1, -2, 3}, {-4, 5, -6}, {1, -2, 3}, {-4, 5, -6}}));
    CHECK(tx::equal(tx::take(x, tensor<int, shape<2>>{2, 0}, tx::axis<1>), tensor<float, shape<2, 2>>{{3, 1}, {-6, -4}}));
}

TEST_CASE("eager: scalars are weak, whatever side they stand on") {
    static_assert(std::is_same_v<decltype(2.0 * x), tensor<float, shape<2, 3>>>);
    static_assert(std::is_same_v<decltype(n * 2), tensor<int, shape<2, 3>>>);
    static_assert(std::is_same_v<decltype(n * 2.f), tensor<double, shape<2, 3>>>);
    CHECK((1 - tensor<float, shape<>>(3.f)).item() == -2);
}

TEST_CASE("eager: C++ integers that a dtype lacks don't wrap") {
    auto const compare = [](auto const& a) {
        return std::tuple(a < 300, a >= -1, a == 261, a != 261, a > 4294967295ll, 300 <= a, -1 > a, a < 100);
    };
    auto const check_all = [](auto const& got, tensor<bool, shape<2>> const& last) {
        auto const all = [](auto const& part, bool value) { return tx::equal(part, tensor<bool, shape<2>>{value, value}); };
        auto const& [below, not_below, same, differs, above, left, left_above, decided] = got;
        CHECK(all(below, true));
        CHECK(all(not_below, true));
        CHECK(all(same, false));
        CHECK(all(differs, true));
        CHECK(all(above, false));
        CHECK(all(left, false));
        CHECK(all(left_above, false));
        CHECK(tx::equal(decided, last));
    };
    tensor<std::uint8_t, shape<2>> const u{250, 5};
    tensor<std::uint8_t> const open = u;
    check_all(compare(u), {false, true});
    check_all(compare(open), {false, true});
    tx::function traced{compare};
    static_assert(decltype(traced)::is_static);
    check_all(traced(u), {false, true});
    check_all(traced(open), {false, true});
    CHECK(tx::equal(tensor<std::uint64_t>{1} > -1, tensor<bool>{true}));

    auto const refuses = [&](auto const& fn, char const* name) {
        auto const expect = [&](auto const& call) {
            CHECK_THROWS_WITH_AS(call(), doctest::Contains(name), tx::type_error);
            CHECK_THROWS_WITH_AS(call(), doctest::Contains("given 300 for uint8"), tx::type_error);
        };
        expect([&] { fn(u); });
        expect([&] { fn(open); });
        tx::function f{fn};
        expect([&] { f(u); });
    };
    refuses([](auto const& a) { return a + 300; }, "tx: add:");
    refuses([](auto const& a) { return tx::maximum(300, a); }, "tx: maximum:");
    refuses([](auto const& a) { return tx::clip(a, 1, 300); }, "tx: clip:");
    refuses([](auto const& a) { return tx::where(a > 0, a, 300); }, "tx: where:");
    refuses([](auto const& a) { return tx::pad(a, tx::widths<1>, 300); }, "tx: pad:");
    CHECK((u / 300)(0) == doctest::Approx(250. / 300));
}

TEST_CASE("eager: empty tensors, and results of any size") {
    tensor<float, shape<dyn>> const none;
    CHECK((none + 1).size() == 0);
    CHECK(tx::sum(none).item() == 0);
    CHECK((tensor<float>{} * 2).size() == 0);
    CHECK(tx::sum(tx::ones<float>(shape<1000>{})).item() == 1000);
}

TEST_CASE("eager: parts of a tensor, in an array") {
    tensor<float, shape<2, 3>> const whole{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(tx::unstack(whole)[1], tensor<float, shape<3>>{4, 5, 6}));
    CHECK(tx::equal(tx::split<3, 1>(whole)[2], tensor<float, shape<2, 1>>{{3}, {6}}));
    CHECK(tx::equal(tx::split<2>(tensor<float>(whole))[0], tensor<float>{{1, 2, 3}}));
    tx::function const product{[&](auto a) {
        tensor<float, shape<2, 3>> const symbol = a;
        auto const [first, second] = tx::unstack(symbol);
        return first * second;
    }};
    CHECK(tx::equal(product(whole), tensor<float, shape<3>>{4, 10, 18}));
}
