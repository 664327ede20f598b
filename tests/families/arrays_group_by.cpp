// This file tests group_by, which joins rows of values with equal keys, against pandas.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace {

using tx::shape, tx::tensor;
using tx::testing::difference;
using vec6 = tensor<double, shape<6>>;
using places = tensor<std::int64_t, shape<3>>;
vec6 const x{3, -1, 4, 1.5, -9, 2};
double const not_a = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("group_by: integers") {
    auto const groups = tx::group_by(tensor<int, shape<6>>{7, -2, 7, 5, 5, 7});
    CHECK(tx::equal(groups.keys(), tensor<int, shape<3>>{-2, 5, 7}));
    CHECK(tx::equal(groups.sum(x), tensor<double, shape<3>>{-1, -7.5, 9}));
    CHECK(tx::equal(groups.mean(x), tensor<double, shape<3>>{-1, -3.75, 3}));
    CHECK(tx::equal(groups.min(x), tensor<double, shape<3>>{-1, -9, 2}));
    CHECK(tx::equal(groups.max(x), tensor<double, shape<3>>{-1, 1.5, 4}));
    CHECK(tx::equal(groups.first(x), tensor<double, shape<3>>{-1, 1.5, 3}));
    CHECK(tx::equal(groups.count(), places{1, 2, 3}));
    tensor<int, shape<6, 2>> const rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
    CHECK(tx::equal(groups.sum(rows), tensor<std::int64_t, shape<3, 2>>{{3, 4}, {16, 18}, {17, 20}}));
    CHECK(tx::equal(groups.first(tensor<std::string, shape<6>>{"a", "b", "c", "d", "e", "f"}),
                    tensor<std::string, shape<3>>{"b", "d", "a"}));
    tensor<std::int64_t, shape<4>> const wide{std::int64_t{1} << 60, -5, std::int64_t{1} << 60, 0}; // hashed
    CHECK(tx::equal(tx::group_by(wide).keys(), places{-5, 0, std::int64_t{1} << 60}));
    CHECK(tx::equal(tx::group_by(wide).count(), places{1, 1, 2}));
    auto const ends =
        tensor<std::int64_t, shape<2>>{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    CHECK(tx::group_by(ends).keys()(0) == std::numeric_limits<std::int64_t>::min());
    CHECK_THROWS_WITH_AS(static_cast<void>(groups.sum(tensor<double>(tensor<double, shape<5>>{}))),
                         "tx: group_by: values must have a row for each key; given (5,), (6,)",
                         tx::shape_error);
}
TEST_CASE("group_by: numbers, bool, strings, none") {
    vec6 const keys{not_a, 0.5, -0.0, not_a, 0, -inf};
    auto const groups = tx::group_by(keys);
    CHECK(difference(groups.keys(), tensor<double, shape<4>>{-inf, 0, 0.5, not_a}, 0) == "");
    CHECK(tx::equal(groups.sum(x), tensor<double, shape<4>>{2, -5, -1, 4.5}));
    auto const by_truth = tx::group_by(tensor<bool, shape<6>>{true, false, true, true, false, false});
    CHECK(tx::equal(by_truth.keys(), tensor<bool, shape<2>>{false, true}));
    CHECK(tx::equal(by_truth.sum(x), tensor<double, shape<2>>{-8, 8.5}));
    auto const by_name = tx::group_by(tensor<std::string, shape<6>>{"b", "", "a", "b", "a", "b"});
    CHECK(tx::equal(by_name.keys(), tensor<std::string, shape<3>>{"", "a", "b"}));
    CHECK(tx::equal(by_name.sum(x), tensor<double, shape<3>>{-1, -5, 6.5}));
    CHECK(tx::equal(tx::group_by(tensor<tx::half, shape<2>>{tx::half(2), tx::half(1)}).count(),
                    tensor<std::int64_t, shape<2>>{1, 1}));
    auto const none = tx::group_by(tensor<int, shape<0>>{});
    CHECK(none.keys().size() == 0);
    CHECK(none.sum(tensor<float, shape<0, 3>>{}).size() == 0);
    CHECK(
        tx::equal(tx::group_by(tx::tensor<int>(tensor<int, shape<2>>{4, 4})).sum(tensor<double>(tensor<double, shape<2>>{1, 2})),
                  tensor<double, shape<1>>{3}));
}
TEST_CASE("group_by: in callables, and values that a trace has") {
    constexpr auto sums = [](auto const& keys, auto const& values) { return tx::group_by<4>(keys).sum(values); };
    tensor<int, shape<6>> const keys{7, -2, 7, 5, 5, 7};
    tx::testing::check_in_all_forms(sums, tensor<double, shape<4>>{-1, -7.5, 9, 0}, 0, 0, keys, x);
    tx::function two{[](auto const& k, auto const& v) {
        auto const groups = tx::group_by<2>(k); // the third is dropped
        return std::tuple(groups.keys(), groups.count(), groups.first(v), groups.mean(v));
    }};
    auto const [different, counts, first, means] = two(keys, x);
    CHECK(tx::equal(different, tensor<int, shape<2>>{-2, 5}));
    CHECK(tx::equal(counts, tensor<std::int64_t, shape<2>>{1, 2}));
    CHECK(tx::equal(first, tensor<double, shape<2>>{-1, 1.5}));
    CHECK(tx::equal(means, tensor<double, shape<2>>{-1, -3.75}));
    auto const groups = tx::group_by(keys);
    tx::check_gradients([&](auto const& v) { return tx::square(groups.sum(v)) + groups.max(v) * groups.first(v); }, x);
}
