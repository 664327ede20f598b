// This file tests sums, means, extremes and products of segments, against NumPy.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>
#include <limits>

namespace {

using tx::shape, tx::tensor;
using tx::testing::check_in_all_forms, tx::testing::check_open_rank;
using vec6 = tensor<double, shape<6>>;
using vec4 = tensor<double, shape<4>>;
using ids6 = tensor<int, shape<6>>;

vec6 const x{3, -1, 4, 1.5, -9, 2};
ids6 const ids{2, 0, 2, 7, -1, 0}; // two of them outside, none for 1 and 3
double const inf = std::numeric_limits<double>::infinity();
constexpr auto sums = [](auto const& v, auto const& i) { return tx::segment_sum<4>(v, i); };
constexpr auto means = [](auto const& v, auto const& i) { return tx::segment_mean<4>(v, i); };
constexpr auto least = [](auto const& v, auto const& i) { return tx::segment_min<4>(v, i); };
constexpr auto most = [](auto const& v, auto const& i) { return tx::segment_max<4>(v, i); };
constexpr auto counts = [](auto const& i) { return tx::segment_count<4>(i); };

} // namespace

TEST_CASE("segments: in all forms") {
    check_in_all_forms(sums, vec4{1, 0, 7, 0}, 0, 0, x, ids);
    check_in_all_forms(means, vec4{0.5, 0, 3.5, 0}, 0, 0, x, ids);
    check_in_all_forms(most, vec4{2, -inf, 4, -inf}, 0, 0, x, ids);
    check_in_all_forms(counts, tensor<std::int64_t, shape<4>>{2, 0, 2, 0}, 0, 0, ids);
    check_open_rank(sums, vec4{1, 0, 7, 0}, 0, 0, x, ids);
    check_open_rank(least, vec4{-1, inf, 3, inf}, 0, 0, x, ids);
}
TEST_CASE("segments: rows, and ids of two axes") {
    tensor<float, shape<3, 2>> const rows{{1, 2}, {3, 4}, {5, 6}};
    tensor<std::int64_t, shape<3>> const which{1, 0, 1};
    tensor<float, shape<4, 2>> const wanted{{3, 4}, {6, 8}, {0, 0}, {0, 0}};
    CHECK(tx::equal(sums(rows, which), wanted));
    CHECK(tx::equal(tx::function{sums}(tx::testing::with_open_extents(rows), which), wanted));
    CHECK(tx::equal(tx::segment_min<2>(rows, which), tensor<float, shape<2, 2>>{{3, 4}, {1, 2}}));
    tensor<int, shape<2, 2>> const square{{1, 2}, {3, 4}}, places{{0, 3}, {3, 9}};
    CHECK(tx::equal(sums(square, places), tensor<std::int64_t, shape<4>>{1, 0, 0, 5}));
    CHECK(tx::equal(tx::function{sums}(tx::testing::with_open_extents(square), tx::testing::with_open_extents(places)),
                    tensor<std::int64_t, shape<4>>{1, 0, 0, 5}));
}
TEST_CASE("segments: dtypes and edges") {
    ids6 const all{0, 0, 0, 2, 2, 2};
    tensor<std::int8_t, shape<6>> const small{100, 100, -7, 1, 2, 3};
    CHECK(tx::equal(tx::segment_sum<3>(small, all), tensor<std::int64_t, shape<3>>{193, 0, 6}));
    CHECK(tx::equal(tx::segment_max<3>(small, all), tensor<std::int8_t, shape<3>>{100, -128, 3}));
    CHECK(tx::equal(tx::segment_min<3>(small, all), tensor<std::int8_t, shape<3>>{-7, 127, 1}));
    CHECK(tx::equal(tx::segment_mean<3>(small, all), tensor<double, shape<3>>{193 / 3.0, 0, 2}));
    tensor<bool, shape<6>> const truth{true, false, true, false, false, false};
    CHECK(tx::equal(tx::segment_max<3>(truth, all), tensor<bool, shape<3>>{true, false, false}));
    CHECK(tx::equal(tx::segment_min<3>(truth, all), tensor<bool, shape<3>>{false, true, false}));
    CHECK(tx::equal(tx::segment_sum<3>(truth, all), tensor<std::int64_t, shape<3>>{2, 0, 0}));
    tensor<std::uint64_t, shape<6>> const wide{~std::uint64_t{0}, 1, 1, 0, 0, 0};
    CHECK(tx::equal(tx::segment_sum<2>(small, wide), tensor<std::int64_t, shape<2>>{6, 93})); // an id beyond int64 is outside
    tensor<tx::half, shape<6>> const half{tx::half(2048), tx::half(1), tx::half(1), tx::half(0), tx::half(0), tx::half(0)};
    CHECK(static_cast<float>(tx::segment_sum<1>(half, all)(0)) == 2050); // made in float32
    tensor<double, shape<0>> const none;
    CHECK(tx::equal(tx::segment_max<2>(none, tensor<int, shape<0>>{}), tensor<double, shape<2>>{-inf, -inf}));
    CHECK(tx::segment_sum<0>(x, ids).size() == 0);
    double const nan = std::numeric_limits<double>::quiet_NaN();
    vec6 const odd{1, nan, -inf, inf, 5, -inf};
    CHECK(tx::testing::difference(tx::segment_max<3>(odd, all), tensor<double, shape<3>>{nan, -inf, inf}, 0) == "");
    CHECK(tx::testing::difference(tx::segment_min<3>(odd, all), tensor<double, shape<3>>{nan, inf, -inf}, 0) == "");
    CHECK_THROWS_WITH_AS(static_cast<void>(sums(tensor<double>(x), tensor<int>(tensor<int, shape<5>>{}))),
                         "tx: segment_sum: ids must have the extents of the values' first axes; given (6,), (5,)",
                         tx::shape_error);
}
