// This file tests sums into groups, as the derivative of a lookup computes them, with extents that only a run knows, and summands
// that are read in place.
#include "lookups_checks.hpp"

namespace {

constexpr auto added = [](auto x, auto group) {
    auto const read = [&](auto totals) { return tx::sum(tx::take(totals, group) * x); };
    return tx::grad(read)(tx::zeros<float>(shape<7>{}));
};
constexpr auto computed = [](auto x, auto group) { return added(x * x + 1, group); };
constexpr auto rows = [](auto x, auto group) {
    auto const read = [&](auto totals) { return tx::sum(tx::take(totals, group, axis<0>) * x); };
    return tx::grad(read)(tx::zeros<float>(shape<7, 3>{}));
};

template <class T, std::int64_t N> tensor<T, shape<dyn>> open(tensor<T, shape<N>> const& x) { return x; }

} // namespace

TEST_CASE("groups: what is added, of known and of open extents") {
    auto const x = numbers<float>(shape<50>{});
    auto const group = places<std::int32_t>(shape<50>{}, 7);
    auto wanted = tx::zeros<float>(shape<7>{}), wanted_computed = wanted;
    for (std::int64_t k = 0; k < 50; ++k) {
        std::int64_t const to = (group(k) + 7) % 7;
        wanted.mutable_data()[to] += x(k), wanted_computed.mutable_data()[to] += x(k) * x(k) + 1;
    }
    CHECK(tx::equal(tx::function{added}(x, group), wanted));
    CHECK(tx::equal(tx::function{added}(open(x), open(group)), wanted));
    CHECK(tx::equal(tx::function{added}(open(x), group), wanted));
    CHECK(tx::equal(tx::function{computed}(x, group), wanted_computed));
    CHECK(tx::equal(tx::function{computed}(open(x), open(group)), wanted_computed));
    auto const matrix = numbers<float>(shape<50, 3>{});
    auto wanted_rows = tx::zeros<float>(shape<7, 3>{});
    for (std::int64_t k = 0; k < 150; ++k) wanted_rows.mutable_data()[(group(k / 3) + 7) % 7 * 3 + k % 3] += matrix(k / 3, k % 3);
    CHECK(tx::equal(tx::function{rows}(matrix, group), wanted_rows));
    CHECK(tx::equal(tx::function{rows}(tensor<float, shape<dyn, 3>>(matrix), open(group)), wanted_rows));
    CHECK(tx::equal(tx::function{rows}(tensor<float, shape<dyn, dyn>>(matrix), open(group)), wanted_rows));
}
TEST_CASE("groups: an open extent that turns out to be 1, or 0") {
    auto const group = places<std::int32_t>(shape<50>{}, 7);
    auto const one = numbers<float>(shape<1>{}, 3);
    auto wanted = tx::zeros<float>(shape<7>{});
    for (std::int64_t k = 0; k < 50; ++k) wanted.mutable_data()[(group(k) + 7) % 7] += one(0);
    CHECK(tx::equal(tx::function{added}(open(one), open(group)), wanted)); // the same number for each
    auto const single = places<std::int32_t>(shape<1>{}, 7, 2);
    CHECK(tx::equal(tx::function{added}(open(one), open(single)), tx::function{added}(one, single)));
    CHECK(tx::equal(tx::function{added}(open(tensor<float, shape<0>>{}), open(tensor<std::int32_t, shape<0>>{})), tx::zeros<float>(shape<7>{})));
    // An index that is broadcast along x.
    auto const x = numbers<float>(shape<50>{});
    float sum = 0;
    for (std::int64_t k = 0; k < 50; ++k) sum += x(k);
    CHECK(tx::function{added}(x, single)((single(0) + 7) % 7) == sum);
    CHECK(tx::function{added}(open(x), open(single))((single(0) + 7) % 7) == sum);
}
TEST_CASE("groups: an index that is out of range leaves the result as it was, whether its group is read or its shape alone") {
    tx::function const f{added};
    auto const x = numbers<float>(shape<50>{});
    auto group = places<std::int32_t>(shape<50>{}, 7);
    auto out = f(open(x), open(group));
    auto const before = out;
    for (int const outside : {7, -8}) {
        group.mutable_data()[49] = outside;
        CHECK_THROWS_AS(f.into(out, open(x), open(group)), tx::shape_error);
        CHECK_THROWS_AS(f.into(out, x, group), tx::shape_error);
        CHECK(tx::equal(out, before));
    }
    // Beside another result, which is as it was, too.
    tx::function const both{[](auto y, auto i) { return std::tuple{y * 2, added(y, i)}; }};
    group.mutable_data()[49] = 0;
    auto two = both(open(x), open(group));
    auto const before_two = two;
    group.mutable_data()[49] = 7;
    CHECK_THROWS_AS(both.into(two, open(tensor<float, shape<50>>(x + 1)), open(group)), tx::shape_error);
    CHECK(same(two, before_two));
}
