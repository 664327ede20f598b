// associative_scan: all prefixes, of extents that the compiler knows, of trees, in both directions, and their derivatives.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <tuple>

using tx::shape;
using tx::tensor;

namespace {

constexpr auto sums = [](auto x) { return tx::associative_scan([](auto a, auto b) { return a + b; }, x); };
constexpr auto sums_back = [](auto x) {
    return tx::associative_scan([](auto a, auto b) { return a + b; }, x, {.reverse = true});
};
// x_t = a_t x_(t-1) + b_t from 0: the second part.
constexpr auto recurrence = [](auto a, auto b) {
    auto const both = tx::associative_scan(
        [](auto l, auto r) {
            return std::tuple(std::get<0>(l) * std::get<0>(r), std::get<1>(l) * std::get<0>(r) + std::get<1>(r));
        },
        std::tuple(a, b));
    return std::get<1>(both);
};
template <class X> void check_sums(X const& x) {
    tx::function const known{sums};
    tx::function const back{sums_back};
    auto const expected = tx::cumsum(x, tx::axis<0>);
    CHECK(tx::equal(known(x), expected));
    CHECK(tx::equal(sums(x), expected));
    CHECK(tx::equal(back(x), tx::flip<0>(tx::cumsum(tx::flip<0>(x), tx::axis<0>))));
}

} // namespace

TEST_CASE("associative_scan: as cumsum, of every parity") {
    check_sums(tensor<double, shape<0>>{});
    check_sums(tensor<double, shape<1>>{3});
    check_sums(tensor<double, shape<2>>{3, 4});
    check_sums(tensor<double, shape<7>>{3, 4, 1, -2, 5, 6, 9});
    check_sums(tensor<double, shape<6, 2>>{{3, 4}, {1, -2}, {5, 6}, {9, 8}, {7, 0}, {1, 1}});
    static_assert(decltype(tx::function{sums})::is_static);
}

TEST_CASE("associative_scan: of a tree, and derivatives: a linear recurrence") {
    tensor<double, shape<4>> const a{2, 3, 0.5, -1}, b{1, 2, 3, 4};
    tensor<double, shape<4>> const expected{1, 5, 5.5, -1.5};
    CHECK(tx::equal(tx::function{recurrence}(a, b), expected));
    auto const last = [](auto x, auto y) { return tx::sum(tx::slice(recurrence(x, y), tx::at<-1>)); };
    // x3 = a3 (a2 (a1 b0 + b1) + b2) + b3
    CHECK(tx::equal(tx::function{[=](auto x, auto y) { return tx::grad<1>(last)(x, y); }}(a, b),
                    tensor<double, shape<4>>{-1.5, -0.5, -1, 1}));
    CHECK(tx::equal(tx::function{[=](auto x, auto y) { return tx::grad<0>(last)(x, y); }}(a, b),
                    tensor<double, shape<4>>{0, -0.5, -5, 5.5}));
}
