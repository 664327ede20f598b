// This file tests bags (sums of rows that are looked up) of short rows, and with indices that are out of range.
#include <run/bags_checks.hpp>

TEST_CASE("bags: short rows") {
    check_bags<2, 5>();
    check_bags<3, 5>();
    check_bags<15, 2>();
    check_bags<16, 5>();
    check_bags<17, 1>();
}
TEST_CASE("bags: an index that is out of range leaves the result as it was") {
    tx::function const f{bag_of};
    auto const table = numbers<float>(shape<11, 20>{});
    auto at = places<std::int32_t>(shape<13, 5>{}, 11);
    auto out = f(table, at);
    auto const before = out;
    at.mutable_data()[40] = 11;
    CHECK_THROWS_AS(f.into(out, table, at), tx::shape_error);
    CHECK(tx::equal(out, before));
}
