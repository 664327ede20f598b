// Extents as plain arguments: a shape that the type leaves open.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {
using open = tensor<float, shape<dyn, dyn>>;
open const table = tensor<float, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}};
} // namespace

TEST_CASE("reshape, broadcast_to, zeros, ones: of extents that only the run knows") {
    tx::static_function const turned{[](auto x) { return tx::reshape(x, tx::extent<1>(x), tx::extent<0>(x)); }};
    static_assert(std::is_same_v<decltype(turned(table)), open>);
    CHECK(tx::equal(turned(table), tensor<float, shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}}));
    tx::static_function const rows{[](auto x) { return tx::reshape(x, -1, tx::extent<1>(x)); }};
    CHECK(tx::equal(rows(table), table));
    tx::static_function const spread{[](auto x) { return tx::broadcast_to(tx::sum<0>(x), tx::extent<0>(x) + 1, tx::extent<1>(x)); }};
    CHECK(tx::equal(spread(table), tensor<float, shape<3, 3>>{{5, 7, 9}, {5, 7, 9}, {5, 7, 9}}));
    tx::static_function const bordered{[](auto x) {
        return tx::concat(tx::axis<0>, tx::zeros<float>(1, tx::extent<1>(x)), x, tx::ones<float>(1, tx::extent<1>(x)));
    }};
    CHECK(tx::equal(bordered(table), tensor<float, shape<4, 3>>{{0, 0, 0}, {1, 2, 3}, {4, 5, 6}, {1, 1, 1}}));
}
TEST_CASE("reshape, broadcast_to, zeros: of numbers that tensors tell") {
    CHECK(tx::equal(tx::reshape(table, tx::extent<1>(table), -1), tensor<float, shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}}));
    CHECK(tx::equal(tx::broadcast_to(tx::sum<0>(table), tx::extent<0>(table), 3), tensor<float, shape<2, 3>>{{5, 7, 9}, {5, 7, 9}}));
    CHECK(tx::equal(tx::zeros<float>(tx::size(table)), tx::zeros<float>(shape<6>{})));
    tx::static_function const known{[](auto x) { return tx::reshape(x, tx::extent<1>(x), 2); }};
    CHECK(tx::equal(known(tensor<float, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}}), tensor<float, shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}}));
    CHECK_THROWS_AS(static_cast<void>(tx::reshape(table, tx::extent<0>(table), 2)), tx::shape_error);
}
