// This file tests loops over joined tensors, which the compiler divides into boxes: rolls and repeated edges, against independent
// loops.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

using tx::axis, tx::dyn, tx::range, tx::shape, tx::slice, tx::tensor;

namespace {

using std::int64_t;
template <class T> using matrix = tensor<T, shape<70, 150>>;
template <class T> matrix<T> numbers() {
    matrix<T> x;
    for (int64_t k = 0; k < 70 * 150; ++k) x.mutable_data()[k] = static_cast<T>(k * k % 37);
    return x;
}
constexpr int64_t around(int64_t i, int64_t n) { return (i % n + n) % n; }
template <class T> double at(matrix<T> const& x, int64_t i, int64_t j) {
    return static_cast<double>(x(around(i, 70), around(j, 150)));
}
template <class Y, class Want> void check_each(Y const& y, Want want) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < 70; ++i)
        for (int64_t j = 0; j < 150; ++j) wrong += static_cast<double>(y(i, j)) != want(i, j);
    CHECK(wrong == 0);
}

constexpr auto neighbours = [](auto x) {
    return tx::roll<1>(x, axis<0>) + tx::roll<-1>(x, axis<0>) + tx::roll<1>(x, axis<1>) + tx::roll<-1>(x, axis<1>);
};
constexpr auto counts = [](auto x) { // of all eight, the rows first
    auto const rows = tx::roll<1>(x, axis<0>) + x + tx::roll<-1>(x, axis<0>);
    return tx::roll<1>(rows, axis<1>) + rows + tx::roll<-1>(rows, axis<1>) - x;
};
// The first and the last column are their own neighbours, and a value that is not joined is spread over all.
constexpr auto differences = [](auto x) {
    auto const left = tx::concat(axis<1>, slice(x, range<>, range<0, 1>), slice(x, range<>, range<0, -1>));
    auto const right = tx::concat(axis<1>, slice(x, range<>, range<1, tx::open>), slice(x, range<>, range<-1, tx::open>));
    return (right - left) * slice(x, range<0, 1>, range<>) + slice(x, range<>, range<0, 1>);
};
constexpr auto energy = [](auto x) { return tx::sum(x * (tx::roll<-1>(x, axis<0>) + tx::roll<-1>(x, axis<1>))); };
constexpr auto extremes = [](auto x) {
    auto const d = tx::roll<3>(x, axis<0>) * 2 - x;
    return std::tuple{tx::max(d), tx::min(d), tx::max(d, axis<0>), tx::sum(d, axis<1>), d};
};
constexpr auto spread = [](auto y) {
    return tx::roll<1>(y, axis<0>) + tx::roll<-1>(y, axis<0>) + tx::roll<1>(y, axis<1>) + tx::roll<-1>(y, axis<1>) +
           tx::roll<1>(y, axis<2>) + tx::roll<-1>(y, axis<2>);
};
constexpr auto both = [](auto x) { // a value that is returned and read on
    auto const a = tx::roll<1>(x, axis<1>) + x;
    return std::pair{a, tx::roll<-2>(a, axis<1>) * a + tx::cumsum(a, axis<1>)};
};

} // namespace

TEST_CASE_TEMPLATE("boxes: neighbours around the edges", T, float, std::int32_t, std::uint8_t) {
    auto const x = numbers<T>();
    auto const sum = [&](int64_t i, int64_t j) { return at(x, i - 1, j) + at(x, i + 1, j) + at(x, i, j - 1) + at(x, i, j + 1); };
    auto const eight = [&](int64_t i, int64_t j) {
        return sum(i, j) + at(x, i - 1, j - 1) + at(x, i - 1, j + 1) + at(x, i + 1, j - 1) + at(x, i + 1, j + 1);
    };
    auto const stays = [](auto f) { return [f](int64_t i, int64_t j) { return static_cast<double>(static_cast<T>(f(i, j))); }; };
    check_each(tx::function{neighbours}(x), stays(sum));
    check_each(tx::function{counts}(x), stays([&](int64_t i, int64_t j) { return static_cast<int>(eight(i, j)); }));
    tensor<T, shape<dyn, dyn>> const open(x);
    check_each(tx::function{counts}(open), stays([&](int64_t i, int64_t j) { return static_cast<int>(eight(i, j)); }));
    T const none = 0; // captured: traced at run time
    check_each(tx::function{[=](auto y) { return neighbours(y) + none; }}(x), stays(sum));
}

TEST_CASE("boxes: repeated edges, reductions, and values that are needed again") {
    auto const x = numbers<double>();
    check_each(tx::function{differences}(x), [&](int64_t i, int64_t j) {
        return (x(i, std::min<int64_t>(j + 1, 149)) - x(i, std::max<int64_t>(j - 1, 0))) * x(0, j) + x(i, 0);
    });
    double total = 0, most = -1e9, least = 1e9;
    for (int64_t i = 0; i < 70; ++i)
        for (int64_t j = 0; j < 150; ++j) {
            total += at(x, i, j) * (at(x, i + 1, j) + at(x, i, j + 1));
            most = std::max(most, at(x, i - 3, j) * 2 - at(x, i, j)), least = std::min(least, at(x, i - 3, j) * 2 - at(x, i, j));
        }
    CHECK(tx::function{energy}(x)() == total);
    auto const [max, min, columns, rows, all] = tx::function{extremes}(x);
    CHECK(max() == most);
    CHECK(min() == least);
    check_each(all, [&](int64_t i, int64_t j) { return at(x, i - 3, j) * 2 - at(x, i, j); });
    for (int64_t j : {0, 1, 77, 149}) {
        double of = -1e9;
        for (int64_t i = 0; i < 70; ++i) of = std::max(of, all(i, j));
        CHECK(columns(j) == of);
    }
    for (int64_t i : {0, 2, 3, 69}) {
        double of = 0;
        for (int64_t j = 0; j < 150; ++j) of += all(i, j);
        CHECK(rows(i) == of);
    }
    auto const [a, b] = tx::function{both}(x);
    check_each(a, [&](int64_t i, int64_t j) { return at(x, i, j - 1) + at(x, i, j); });
    double before = 0;
    for (int64_t j = 0; j < 150; ++j) {
        before += a(7, j);
        CHECK(b(7, j) == a(7, around(j + 2, 150)) * a(7, j) + before);
    }
}

TEST_CASE("boxes: along three axes, and more of them than the compiler takes apart") {
    tensor<std::int32_t, shape<12, 14, 80>> x;
    for (int64_t k = 0; k < x.size(); ++k) x.mutable_data()[k] = static_cast<std::int32_t>(k * k % 37);
    auto const once = tx::function{spread}(x);
    auto const thrice = tx::function{[](auto y) { return std::tuple{spread(spread(spread(y))), spread(y) * 2}; }}(x);
    CHECK(tx::equal(std::get<0>(thrice), tx::function{spread}(tx::function{spread}(once))));
    CHECK(tx::equal(std::get<1>(thrice), once * 2));
    int64_t wrong = 0;
    for (int64_t i = 0; i < 12; ++i)
        for (int64_t j = 0; j < 14; ++j)
            for (int64_t k = 0; k < 80; ++k)
                wrong += once(i, j, k) != x(around(i - 1, 12), j, k) + x(around(i + 1, 12), j, k) + x(i, around(j - 1, 14), k) +
                                              x(i, around(j + 1, 14), k) + x(i, j, around(k - 1, 80)) +
                                              x(i, j, around(k + 1, 80));
    CHECK(wrong == 0);
}

TEST_CASE("boxes: NaN is kept, and so are derivatives") {
    auto x = numbers<double>();
    x(69, 3) = std::nan("");
    CHECK(std::isnan(tx::function{energy}(x)()));
    CHECK(std::isnan(std::get<0>(tx::function{extremes}(x))()));
    auto const y = numbers<double>();
    auto const g = tx::grad(energy)(y); // each element meets all four neighbours
    check_each(g, [&](int64_t i, int64_t j) { return at(y, i - 1, j) + at(y, i + 1, j) + at(y, i, j - 1) + at(y, i, j + 1); });
}
