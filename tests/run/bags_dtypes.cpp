// This file tests bags of other dtypes, with other reductions, and on threads.
#include <run/bags_checks.hpp>

namespace {
constexpr auto others = [](auto const& x, auto const& i, auto const& w) {
    auto const rows = tx::take(x, i, axis<0>);
    return std::tuple{tx::max(rows, axis<1>), tx::sum(rows * tx::expand_dims<2>(w), axis<1>) + 1};
};
} // namespace

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
