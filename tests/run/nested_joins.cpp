// This file tests tensors that are joined along one axis after the other, mostly of one part, against indices written out.
#include "kinds_of_traces.hpp"

#include <doctest/doctest.h>

using tx::axis, tx::dyn, tx::range, tx::shape, tx::slice, tx::tensor;
using tx::testing::in_both_traces;

namespace {

using std::int64_t;
constexpr int64_t rows = 80, columns = 70;
template <class T> tensor<T, shape<rows, columns>> numbers() {
    tensor<T, shape<rows, columns>> x;
    for (int64_t k = 0; k < x.size(); ++k) x.mutable_data()[k] = static_cast<T>(k * k % 101 + 1);
    return x;
}
constexpr int64_t number(int64_t i, int64_t j) { return (i * columns + j) * (i * columns + j) % 101 + 1; }
constexpr int64_t clamped(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }
template <class Y, class Want> void check_each(Y const& y, int64_t m, int64_t n, Want want) {
    REQUIRE(y.dimensions() == tx::dims{{m, n}, 2});
    int64_t wrong = 0;
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) wrong += y(i, j) != static_cast<typename Y::value_type>(want(i, j));
    CHECK(wrong == 0);
}
// f of numbers, whose shape the type tells, or leaves open.
template <class T, class F, class Want> void check_all(F const& f, int64_t m, int64_t n, Want want) {
    in_both_traces(f, [&](auto const& traced) {
        check_each(traced(numbers<T>()), m, n, want);
        check_each(traced(tensor<T, shape<dyn, columns>>(numbers<T>())), m, n, want);
        check_each(traced(tensor<T, shape<dyn, dyn>>(numbers<T>())), m, n, want);
    });
}

constexpr auto edged = [](auto const& x) { return tx::pad(x, tx::widths<2, 1, 3, 2>, tx::edge); };
// The parts beside are made of x, so that nobody else needs what is joined first.
template <class X> constexpr auto with_ends(X const& x) {
    return tx::concat<0>(slice(x, range<-1, tx::open>), x, slice(x, range<0, 2>));
}
constexpr auto around = [](auto const& x) {
    return tx::concat<1>(with_ends(slice(x, range<>, range<-2, tx::open>)), with_ends(x),
                         with_ends(slice(x, range<>, range<0, 1>)));
};
// Along the same axis twice, computed parts, and one of nothing.
constexpr auto longer = [](auto const& x) {
    auto const inner =
        tx::concat<0>(slice(x, range<0, 3>) + slice(x, range<1, 4>), x, slice(x, range<0, 0>), slice(x, range<5, 6>));
    return tx::concat<0>(slice(x, range<7, 9>), inner, slice(x, range<2, 3>) + slice(x, range<2, 3>));
};
// What is inside is needed by others, too.
constexpr auto shared = [](auto const& x) {
    auto const inner = tx::concat<0>(x, slice(x, range<0, 2>));
    return tx::concat<1>(tx::expand_dims(tx::sum(inner, axis<1>), axis<1>), inner);
};
constexpr auto summed = [](auto const& x) { return tx::sum(around(x * 2.0) * tx::cumsum(around(x), axis<1>)); };

} // namespace

TEST_CASE("nested joins: repeated edges") {
    check_all<double>(edged, rows + 3, columns + 5,
                      [](int64_t i, int64_t j) { return number(clamped(i - 2, rows), clamped(j - 3, columns)); });
}

TEST_CASE_TEMPLATE("nested joins: around both ends", T, float, std::int8_t, bool) {
    check_all<T>(around, rows + 3, columns + 3,
                 [](int64_t i, int64_t j) { return number((i - 1 + rows) % rows, (j - 2 + columns) % columns); });
}

TEST_CASE("nested joins: along one axis twice") {
    check_all<double>(longer, rows + 7, columns, [](int64_t i, int64_t j) {
        return i < 2           ? number(7 + i, j)
               : i < 5         ? number(i - 2, j) + number(i - 1, j)
               : i < rows + 5  ? number(i - 5, j)
               : i == rows + 5 ? number(5, j)
                               : 2 * number(2, j);
    });
}

TEST_CASE("nested joins: one that others need") {
    check_all<double>(shared, rows + 2, columns + 1, [](int64_t i, int64_t j) {
        int64_t sum = 0;
        for (int64_t k = 0; k < columns; ++k) sum += number(i % rows, k);
        return j == 0 ? sum : number(i % rows, j - 1);
    });
}

TEST_CASE("nested joins: an edge of nothing, and derivatives") {
    in_both_traces(edged, [](auto const& traced) {
        auto const y = traced(tx::zeros<double, shape<1, 1>>());
        CHECK(y.dimensions() == tx::dims{{4, 6}, 2});
    });
    // The function is a square in x, of which a central difference has no error but that of rounding.
    auto const x = numbers<double>(), d = x * 3.0 - 100.0;
    double const change = (summed(x + d) - summed(x - d)).item() / 2;
    CHECK(tx::sum(tx::grad(summed)(x) * d).item() == doctest::Approx(change).epsilon(1e-12));
    CHECK(tx::sum(tx::function{tx::grad(summed)}(x)*d).item() == doctest::Approx(change).epsilon(1e-12));
}

TEST_CASE("nested joins: most elements are copied once") {
    tx::function const f{around};
    std::string const plan = f.concrete<tx::spec<double, shape<rows, columns>>>().explain_passes();
    std::string const calls = plan.substr(plan.find("after cluster"));
    CHECK(calls.find("pad(%0") != calls.npos);
    CHECK(calls.find("concatenate(%0") == calls.npos);
}
