// This file tests what a scan reads and writes in place: states that become sequences, and sequences that are parts of others.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::axis, tx::dyn, tx::range, tx::shape, tx::slice, tx::tensor;

namespace {

using std::int64_t;
using rows = tensor<double, shape<7, 5>>;
rows numbers() {
    rows x;
    for (int64_t k = 0; k < 35; ++k) x.mutable_data()[k] = static_cast<double>(k * k % 11) - 4;
    return x;
}

constexpr auto start = [](auto xs) { return slice(xs, tx::at<0>); };
constexpr auto decayed = [](auto xs) {
    return tx::scan(
        [](auto s, auto x) {
            auto const n = 0.5 * s + x;
            return std::pair{n, n};
        },
        start(xs), slice(xs, range<1, tx::open>));
};
constexpr auto decayed_backwards = [](auto xs) {
    return tx::scan(
        [](auto s, auto x) {
            auto const n = 0.5 * s + x;
            return std::pair{n, n};
        },
        start(xs), slice(xs, range<2, 6>), {.reverse = true});
};
constexpr auto twice_and_before = [](auto xs) { // the new state twice, and the one before
    auto const [last, ys] = tx::scan(
        [](auto s, auto x) {
            auto const n = s * x - 1;
            return std::pair{n, std::tuple{n, s, n}};
        },
        start(xs), xs);
    return std::tuple{last, std::get<0>(ys), std::get<1>(ys), std::get<2>(ys)};
};
constexpr auto exchanged = [](auto xs) { // each state becomes the other
    auto const [last, ys] = tx::scan(
        [](auto s, auto x) {
            auto const [a, b] = s;
            return std::pair{std::tuple{b, a + x}, std::tuple{b, a}};
        },
        std::tuple{start(xs), start(xs) * 2}, xs);
    return std::tuple{std::get<0>(last), std::get<1>(last), std::get<0>(ys), std::get<1>(ys)};
};
constexpr auto unchanged = [](auto xs) { return tx::scan([](auto s, auto x) { return std::pair{s, x + s}; }, start(xs), xs); };
constexpr auto columns = [](auto xs) { // which lie apart
    return tx::scan(
        [](auto s, auto x) {
            auto const n = s + x;
            return std::pair{n, n};
        },
        tx::zeros_like(slice(xs, range<>, tx::at<0>)), tx::transpose(slice(xs, range<>, range<1, 4>)));
};
constexpr auto recurrence = [](auto xs) { // of scalars
    auto const flat = tx::reshape<-1>(xs);
    return tx::scan(
        [](auto s, auto x) {
            auto const n = 0.25 * s + x;
            return std::pair{n, n};
        },
        slice(flat, tx::at<0>), slice(flat, range<1, -1>));
};

// With known and with unknown extents, and traced at run time, what the same C++ loop gives; scans run eagerly are such loops.
template <class F> void check(F const& f) {
    rows const x = numbers();
    tensor<double, shape<dyn, dyn>> const open(x);
    double const one = 1;
    auto const same = [](auto const& a, auto const& b) {
        if constexpr (requires { a.data(); }) CHECK(tx::equal(a, b));
        else
            CHECK(std::apply(
                [&](auto const&... l) { return std::apply([&](auto const&... r) { return (tx::equal(l, r) && ...); }, b); }, a));
    };
    auto const want = f(x);
    same(tx::function{f}(x), want);
    same(tx::function{f}(open), want);
    same(tx::function{[=](auto y) { return f(y * one); }}(x), want);
}

} // namespace

TEST_CASE("scan: states are the elements of sequences") {
    check(decayed);
    check(decayed_backwards);
    check(twice_and_before);
    check(exchanged);
    check(unchanged);
    check(columns);
    check(recurrence);
}

TEST_CASE("scan: of no elements, and with the last state alone") {
    auto const f = [](auto xs) {
        return tx::scan(
            [](auto s, auto x) {
                auto const n = s + x;
                return std::pair{n, n};
            },
            start(xs), slice(xs, range<0, 0>));
    };
    auto const [last, ys] = tx::function{f}(numbers());
    CHECK(tx::equal(last, start(numbers())));
    CHECK(ys.extent(0) == 0);
    CHECK(tx::equal(tx::function{[](auto xs) { return decayed(xs).first; }}(numbers()), decayed(numbers()).first));
    CHECK(tx::equal(tx::function{[](auto xs) { return decayed(xs).second; }}(numbers()), decayed(numbers()).second));
}

TEST_CASE("scan: derivatives through states that are written as sequences") {
    auto const loss = [](auto xs) { return tx::sum(tx::square(decayed(xs).second)); };
    rows const x = numbers();
    auto const g = tx::grad(loss)(x);
    for (int64_t const k : {0, 4, 5, 17, 34}) {
        rows up = x, down = x;
        up.mutable_data()[k] += 1e-4, down.mutable_data()[k] -= 1e-4;
        CHECK(g.data()[k] == doctest::Approx((loss(up)() - loss(down)()) / 2e-4).epsilon(1e-7));
    }
}
