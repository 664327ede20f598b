// This file checks bags: sums, and other reductions, of rows that are looked up, which are not stored.
#pragma once

#include <run/lookups_checks.hpp>

namespace {

constexpr auto bag_of = [](auto const& x, auto const& i) { return tx::sum(tx::take(x, i, axis<0>), axis<1>); };

template <std::int64_t D, std::int64_t M> void check_bags() {
    auto const table = numbers<float>(shape<11, D>{});
    check(bag_of, table, places<std::int32_t>(shape<13, M>{}, 11));
    // All extents are known except the number of bags and of the table's rows; here with another table.
    tx::function const fused{bag_of};
    tensor<float, shape<dyn, D>> const some = numbers<float>(shape<29, D>{}, 3);
    tensor<std::int64_t, shape<dyn, M>> const at = places<std::int64_t>(shape<5, M>{}, 29);
    CHECK(same(fused(some, at), bag_of(some, at)));
}

} // namespace
