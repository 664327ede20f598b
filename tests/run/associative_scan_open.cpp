// associative_scan: all prefixes, of extents that only the run knows, of trees, in both directions, and their derivatives.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <tuple>

using tx::shape;
using tx::tensor;
using open_vec = tensor<double, shape<tx::dyn>>;

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

TEST_CASE("associative_scan: of an extent that only the run knows") {
    check_sums(open_vec{});
    check_sums(open_vec{3});
    check_sums(open_vec{3, 4, 1, -2, 5, 6, 9});
    check_sums(tensor<double, shape<tx::dyn, 2>>{{3, 4}, {1, -2}, {5, 6}});
}

TEST_CASE("associative_scan: of a tree of such an extent, and derivatives") {
    CHECK(tx::equal(tx::function{recurrence}(open_vec{2, 3, 0.5, -1}, open_vec{1, 2, 3, 4}),
                    tensor<double, shape<4>>{1, 5, 5.5, -1.5}));
    auto const last = [](auto x, auto y) { return tx::sum(tx::slice(recurrence(x, y), tx::at<-1>)); };
    CHECK(tx::equal(
        tx::function{[=](auto x, auto y) { return tx::grad<1>(last)(x, y); }}(open_vec{2, 3, 0.5, -1}, open_vec{1, 2, 3, 4}),
        tensor<double, shape<4>>{-1.5, -0.5, -1, 1}));
}
