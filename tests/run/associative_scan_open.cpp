// This file tests associative_scan: all prefixes, with extents that only the run knows, of trees, in both directions, and their
// derivatives.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/associative_scan_checks.hpp>

#include <tuple>

using tx::shape;
using tx::tensor;
using open_vec = tensor<double, shape<tx::dyn>>;

using namespace tx::testing;

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
