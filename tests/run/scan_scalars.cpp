// This file tests loops whose states are one element each, which stay in registers: they give what the same C++ loops give, run
// eagerly.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <stdexcept>

using tx::axis, tx::dyn, tx::range, tx::shape, tx::slice, tx::tensor;

namespace {

using std::int64_t;
using numbers_type = tensor<double, shape<30>>;
numbers_type numbers() {
    numbers_type x;
    for (int64_t k = 0; k < 30; ++k) x.mutable_data()[k] = static_cast<double>(k * k % 11) - 4;
    return x;
}

constexpr auto first = [](auto xs) { return slice(xs, tx::at<0>); };
constexpr auto exchanged = [](auto xs) { // each state becomes the other, and sequences hold both
    return tx::scan(
        [](auto s, auto x) {
            auto const [a, b] = s;
            return std::pair{std::tuple{b, 0.5 * a + x}, std::tuple{b, a, b}};
        },
        std::tuple{first(xs), first(xs) * 2}, xs);
};
constexpr auto twice = [](auto xs) { // two states, and two sequences, are one value
    return tx::scan(
        [](auto s, auto x) {
            auto const [a, b] = s;
            auto const n = 0.25 * a + (x + b);
            return std::pair{std::tuple{n, n}, std::tuple{n, n, x}};
        },
        std::tuple{first(xs), first(xs) + 1}, slice(xs, range<1, tx::open>), {.reverse = true});
};
constexpr auto kinds = [](auto xs) { // states of several dtypes, one of one axis; one stays as it is
    return tx::scan(
        [](auto s, auto x) {
            auto const [count, is_large, z, whole, same] = s;
            auto const next = z * 0.5 + x;
            auto const row = whole * 0.5 + tx::expand_dims<0>(x);
            return std::pair{std::tuple{count + tx::cast<std::int32_t>(x > 0), tx::logical_or(is_large, x > 5), next, row, same},
                             std::tuple{row, tx::concat(axis<0>, row, row * same)}};
        },
        std::tuple{tx::full<std::int32_t, shape<>>(0), tx::full<bool, shape<>>(false),
                   tx::full<std::complex<double>, shape<>>(std::complex<double>{0.5, 1.0}), tx::full<double, shape<1>>(1.0),
                   first(xs)},
        xs);
};
constexpr auto halved = [](auto xs) { // sequences of which nobody needs one
    auto const [last, ys] = tx::scan(
        [](auto s, auto x) {
            auto const n = 0.5 * s + x;
            return std::pair{n, std::tuple{n, n * n}};
        },
        first(xs), xs);
    return std::tuple{last, std::get<1>(ys)};
};
constexpr auto unneeded = [](auto xs) { // two states whose sequences nobody needs
    auto const [last, ys] = tx::scan(
        [](auto s, auto x) {
            auto const [a, b] = s;
            auto const p = 0.5 * a + x;
            auto const q = b * 0.25 - x;
            return std::pair{std::tuple{p, q}, std::tuple{p, q, p + q, q}};
        },
        std::tuple{first(xs), first(xs) + 1}, xs);
    return std::tuple{std::get<0>(last), std::get<1>(last), std::get<2>(ys)};
};
constexpr auto root = [](auto xs) {
    auto const a = tx::sum(tx::square(xs));
    return tx::while_loop([=](auto x, auto) { return tx::abs(x * x - a) > 1e-9; },
                          [=](auto x, auto n) { return std::tuple{0.5 * (x + a / x), n + 1}; }, a, 0 * first(xs));
};
constexpr auto nested = [](auto xs) { // a loop of scalars in the body of another
    return tx::scan(
        [](auto s, auto x) {
            auto const n = tx::fori_loop(0, 3, [=](auto, auto v) { return 0.5 * v + x; }, s);
            return std::pair{n, n};
        },
        first(xs), xs);
};

template <class A, class B> bool same(A const& a, B const& b) {
    if constexpr (requires { a.data(); }) return tx::equal(a, b);
    else if constexpr (requires { a.first; }) return same(a.first, b.first) && same(a.second, b.second);
    else
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return (same(std::get<K>(a), std::get<K>(b)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
}
// With known and with unknown extents, and traced at run time.
template <class F> void check(F const& f) {
    numbers_type const x = numbers();
    auto const want = f(x);
    CHECK(same(tx::function{f}(x), want));
    CHECK(same(tx::function{f}(tensor<double, shape<dyn>>(x)), want));
    double const one = 1; // traced at run time
    CHECK(same(tx::function{[=](auto y) { return f(y * one); }}(x), want));
}

} // namespace

TEST_CASE("scans of scalars: states that are exchanged, or one value") {
    check(exchanged);
    check(twice);
}
TEST_CASE("scans of scalars: dtypes") { check(kinds); }
TEST_CASE("scans of scalars: a sequence that nobody needs; while_loop; loops in loops") {
    check(halved);
    check(unneeded);
    check(root);
    check(nested);
}
TEST_CASE("scans of scalars: of no elements") {
    auto const [last, ys] = tx::function{[](auto xs) {
        return tx::scan(
            [](auto s, auto x) {
                auto const n = s + x;
                return std::pair{n, n};
            },
            first(xs), slice(xs, range<0, 0>));
    }}(numbers());
    CHECK(last() == numbers().data()[0]);
    CHECK(ys.extent(0) == 0);
}
TEST_CASE("scans of scalars: a body that throws leaves what it would have written") {
    bool fails = true;
    auto const stops_above_five = [&](tensor<double, shape<>> const& v) {
        if (fails && v() > 5) throw std::runtime_error("no more");
        return v;
    };
    auto const f = tx::function{[&](auto xs) {
        return tx::scan(
            [&](auto s, auto x) {
                auto const n = tx::opaque<tx::spec<double, shape<>>>(stops_above_five, s + x);
                return std::pair{n, n};
            },
            tx::full<double, shape<>>(0), xs);
    }};
    CHECK_THROWS_AS(f(numbers() + 5), std::runtime_error);
    fails = false;
    auto const [last, ys] = f(numbers());
    double sum = 0;
    for (int64_t k = 0; k < 30; ++k) CHECK(ys.data()[k] == (sum += numbers().data()[k]));
    CHECK(last() == sum);
}
