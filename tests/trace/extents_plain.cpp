// This file tests extents as plain arguments: the type leaves the shape open.
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
TEST_CASE("reshape, broadcast_to, zeros, ones: of C++ integers of any type") {
    int const n = 2, m = 3;
    static_assert(std::is_same_v<decltype(tx::reshape(table, n, m)), open>);
    CHECK(tx::equal(tx::reshape(table, m, n), tensor<float, shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}}));
    CHECK(tx::equal(tx::reshape(table, 3u, std::int8_t{-1}), tensor<float, shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}}));
    CHECK(tx::equal(tx::broadcast_to(tx::sum<0>(table), n, std::size_t{3}), tensor<float, shape<2, 3>>{{5, 7, 9}, {5, 7, 9}}));
    CHECK(tx::equal(tx::zeros<float>(n, 3), tx::zeros<float>(shape<2, 3>{})));
    CHECK(tx::equal(tx::ones<float>(2), tx::ones<float>(shape<2>{})));
    CHECK(tx::equal(tx::full<float>(7, n, 3), tx::full<float>(shape<2, 3>{}, 7)));
    tx::static_function const all{[](auto x, auto value) { return tx::full<float>(value, tx::extent<0>(x), 3); }};
    CHECK(tx::equal(all(table, 7.0f), tx::full<float>(shape<2, 3>{}, 7)));
    tx::static_function const column{[](auto x) { return tx::reshape(x, 6, 1) + tx::zeros<float>(1, 1); }};
    CHECK(tx::equal(column(table), tensor<float, shape<6, 1>>{{1}, {2}, {3}, {4}, {5}, {6}}));
    tx::function const captured{[m](auto x) { return tx::broadcast_to(tx::reshape(x, m, -1), 2, m, 2); }};
    CHECK(tx::extent<0>(captured(table)) == 2);
}
TEST_CASE("reshape, broadcast_to, zeros: extents that are none") {
    std::uint64_t const huge = ~std::uint64_t{0};
    auto const says = [](auto const& call, char const* what) { CHECK_THROWS_WITH_AS(static_cast<void>(call()), what, tx::shape_error); };
    says([&] { return tx::reshape(table, huge, 2); }, "tx: reshape: an extent is at most 9223372036854775807; given 18446744073709551615");
    says([&] { return tx::zeros<float>(huge); }, "tx: zeros: an extent is at most 9223372036854775807; given 18446744073709551615");
    says([&] { return tx::zeros<float, shape<dyn>>(huge); }, "tx: zeros: an extent is at most 9223372036854775807; given 18446744073709551615");
    tx::function const in_trace{[huge](auto x) { return tx::broadcast_to(x, huge, 3); }};
    says([&] { return in_trace(table); }, "tx: broadcast_to: an extent is at most 9223372036854775807; given 18446744073709551615");
    says([&] { return tx::zeros<float>(2, -3); }, "tx: zeros: extents must not be negative, nor ask for more memory than can be addressed; given (2, -3)");
    says([&] { return tx::broadcast_to(table, -2, 3); }, "tx: broadcast_to: extents must not be negative, nor ask for more memory than can be addressed; given (-2, 3)");
    says([&] { return tx::reshape(table, -2, 3); }, "tx: reshape: extents must not be negative, nor ask for more memory than can be addressed; given (-2, 3)");
    says([&] { return tx::reshape(table, 4, 2); }, "tx: reshape: the size must stay the same; given (2, 3), (4, 2)");
    says([&] { return tx::reshape(table, -1, -1); }, "tx: reshape: at most one extent may be -1, which leaves it to the size");
    says([&] { return tx::function{[](auto x) { return tx::reshape(x, -2, 3); }}(table); }, "tx: reshape: extents must not be negative; given (-2, 3)");
    says([&] { return tx::function{[](auto x) { return tx::reshape(x, -1, -1); }}(table); }, "tx: reshape: at most one extent may be -1, which leaves it to the size");
}
