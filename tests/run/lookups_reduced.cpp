// This file tests lookups as parts of loops: reduced, in row nests, on threads.
#include "lookups_checks.hpp"

namespace {

constexpr auto rows_of = [](auto const& x, auto const& i) { return tx::take(x, i, axis<0>); };

} // namespace

TEST_CASE("lookups in loops: reduced, in row nests, beside what is broadcast, on threads") {
    auto const table = numbers<float>(shape<40, 70>{});
    auto const bag = places<int>(shape<90>{}, 40);
    auto const labels = places<int>(shape<40>{}, 70);
    auto const bias = numbers<float>(shape<70>{}, 3);
    auto const sums = [](auto const& x, auto const& i, auto const& b) {
        return std::tuple{tx::sum(rows_of(x, i), axis<0>), rows_of(x * 2, i) * b + 1};
    };
    check(sums, table, bag, bias);
    check([](auto const& x, auto const& i) { return std::tuple{tx::max(rows_of(x, i), axis<1>), tx::sum(rows_of(x * 2, i)), rows_of(tx::sum(x, axis<1>, tx::keepdims), i) + 1}; }, table, bag);
    auto const picked = [](auto const& x, auto const& label) {
        auto const of_label = tx::take_along_axis(x, tx::expand_dims<1>(label), axis<1>);
        return std::tuple{tx::max(x, axis<1>) - tx::squeeze(of_label, axis<1>), tx::max(x, axis<1>, tx::keepdims) * x - tx::take_along_axis(x * 2, tx::expand_dims<1>(label), axis<1>)};
    };
    check(picked, table, labels);
    check([](auto const& x, auto const& i) { return tx::max(tx::take(x, i, axis<1>), axis<0>); }, table, labels);
    auto const long_table = numbers<float>(shape<3000, 70>{});
    auto const many = places<int>(shape<5000>{}, 3000);
    CHECK(same(tx::on(tx::cpu{.threads = 2}, sums)(long_table, many, bias), sums(long_table, many, bias)));
    CHECK(same(tx::on(tx::cpu{.threads = 2}, picked)(long_table, places<int>(shape<3000>{}, 70)), picked(long_table, places<int>(shape<3000>{}, 70))));
}
