// Bags: sums, and other reductions, of rows that are looked up, which nothing stores.
#include "lookups_checks.hpp"

namespace {

constexpr auto bag_of = [](auto const& x, auto const& i) { return tx::sum(tx::take(x, i, axis<0>), axis<1>); };
constexpr auto others = [](auto const& x, auto const& i, auto const& w) {
    auto const rows = tx::take(x, i, axis<0>);
    return std::tuple{tx::max(rows, axis<1>), tx::sum(rows * tx::expand_dims<2>(w), axis<1>) + 1};
};

template <std::int64_t D, std::int64_t M> void check_bags() {
    auto const table = numbers<float>(shape<11, D>{});
    check(bag_of, table, places<std::int32_t>(shape<13, M>{}, 11));
    // What is known of the extents, but for how many bags there are, and of another table with rows of that length.
    tx::function const fused{bag_of};
    tensor<float, shape<dyn, D>> const some = numbers<float>(shape<29, D>{}, 3);
    tensor<std::int64_t, shape<dyn, M>> const at = places<std::int64_t>(shape<5, M>{}, 29);
    CHECK(same(fused(some, at), bag_of(some, at)));
}

} // namespace

TEST_CASE("bags: rows of all lengths") {
    check_bags<2, 5>();
    check_bags<3, 5>();
    check_bags<15, 2>();
    check_bags<16, 5>();
    check_bags<17, 1>();
    check_bags<64, 5>();
    check_bags<67, 9>();
    check_bags<1100, 3>();
}
TEST_CASE("bags: of many rows, and of none") {
    check_bags<20, 130>();
    check_bags<33, 300>();
    check_bags<7, 0>();
}
TEST_CASE("bags: other reductions, dtypes, threads") {
    check(others, numbers<double>(shape<11, 21>{}), places<std::int16_t>(shape<13, 4>{}, 11), numbers<double>(shape<13, 4>{}, 5));
    check(bag_of, numbers<std::int8_t>(shape<11, 70>{}), places<std::uint8_t>(shape<13, 3>{}, 11));
    check(bag_of, numbers<tx::half>(shape<11, 19>{}), places<std::int8_t>(shape<13, 3>{}, 11));
    check(bag_of, numbers<std::complex<float>>(shape<11, 9>{}), places<std::int32_t>(shape<13, 3>{}, 11));
    auto const table = numbers<float>(shape<300, 64>{});
    auto const many = places<std::int32_t>(shape<4000, 5>{}, 300);
    CHECK(same(tx::on(tx::cpu{.threads = 2}, bag_of)(table, many), bag_of(table, many)));
    tensor<std::int32_t, shape<dyn, dyn>> const open = many;
    CHECK(same(tx::on(tx::cpu{.threads = 2}, bag_of)(table, open), bag_of(table, many)));
    // One bag, whose columns threads share.
    auto const wide = numbers<float>(shape<30, 5000>{});
    auto const one = places<std::int32_t>(shape<100>{}, 30);
    auto const sum = [](auto const& x, auto const& i) { return tx::sum(tx::take(x, i, axis<0>), axis<0>); };
    CHECK(same(tx::on(tx::cpu{.threads = 2}, sum)(wide, one), sum(wide, one)));
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
