// This file tests associative_scan: all prefixes, with extents that the compiler knows, of trees, in both directions, and their
// derivatives.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/associative_scan_checks.hpp>

#include <tuple>

using tx::shape;
using tx::tensor;

using namespace tx::testing;

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
