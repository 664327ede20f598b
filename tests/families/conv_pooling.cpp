// This file tests pools against ONNX Runtime's on the same numbers.
#include <tracexpr/conv.hpp>

#include <family_checks.hpp>

#include <limits>

namespace {

// np.arange(1, 61).reshape(1, 2, 5, 6) * 7 % 13, channels last.
auto const x = tx::tensor<double, tx::shape<1, 5, 6, 2>>{{{{7, 9}, {1, 3}, {8, 10}, {2, 4}, {9, 11}, {3, 5}},
                                                          {{10, 12}, {4, 6}, {11, 0}, {5, 7}, {12, 1}, {6, 8}},
                                                          {{0, 2}, {7, 9}, {1, 3}, {8, 10}, {2, 4}, {9, 11}},
                                                          {{3, 5}, {10, 12}, {4, 6}, {11, 0}, {5, 7}, {12, 1}},
                                                          {{6, 8}, {0, 2}, {7, 9}, {1, 3}, {8, 10}, {2, 4}}}};
constexpr double none = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
using row = tx::tensor<double, tx::shape<1, 4, 1>>;
using two = tx::tensor<double, tx::shape<1, 2, 1>>;

} // namespace

TEST_CASE("max_pool: overlapping windows with padding") {
    auto const wanted = tx::tensor<double, tx::shape<1, 3, 3, 2>>{
        {{{10, 12}, {11, 10}, {12, 11}}, {{10, 12}, {11, 10}, {12, 11}}, {{10, 12}, {11, 9}, {12, 10}}}};
    auto const pool = [](auto const& a) { return tx::max_pool<3, 2>(a, tx::stride<2>, tx::widths<1>, tx::widths<0>); };
    tx::testing::check_in_all_forms(pool, wanted, 0, 0, x);
    tx::testing::check_open_rank(pool, wanted, 0, 0, x);
    auto const first = [](auto const& a) {
        return tx::moveaxis(tx::max_pool<3, 2>(tx::moveaxis(a, tx::axis<3>, tx::axis<1>), tx::channels_first, tx::widths<1>,
                                               tx::widths<0>, tx::stride<2>),
                            tx::axis<1>, tx::axis<3>);
    };
    CHECK(tx::testing::difference(first(x), wanted, 0) == "");
}
TEST_CASE("max_pool: same, dilated, in ceil mode, and of windows that are read axis by axis") {
    auto const same = [](auto const& a) { return tx::max_pool<3, 3>(a, tx::stride<2, 2>, tx::mode::same); };
    tx::testing::check_in_all_forms(
        same,
        tx::tensor<double, tx::shape<1, 3, 3, 2>>{
            {{{11, 12}, {12, 11}, {12, 11}}, {{11, 12}, {12, 10}, {12, 11}}, {{10, 12}, {11, 10}, {12, 10}}}},
        0, 0, x);
    CHECK(tx::testing::difference(tx::max_pool<2, 3>(x, tx::dilation<2, 1>, tx::stride<1>),
                                  tx::tensor<double, tx::shape<1, 3, 4, 2>>{{{{8, 10}, {8, 10}, {9, 11}, {9, 11}},
                                                                             {{11, 12}, {11, 12}, {12, 7}, {12, 8}},
                                                                             {{7, 9}, {8, 10}, {8, 10}, {9, 11}}}},
                                  0) == "");
    CHECK(tx::testing::difference(
              tx::max_pool<2, 4>(x, tx::ceil_mode),
              tx::tensor<double, tx::shape<1, 3, 2, 2>>{{{{11, 12}, {12, 11}}, {{11, 12}, {12, 11}}, {{7, 9}, {8, 10}}}},
              0) == "");
    CHECK(tx::testing::difference(tx::max_pool<4, 5>(x, tx::stride<1>),
                                  tx::tensor<double, tx::shape<1, 2, 2, 2>>{{{{12, 12}, {12, 12}}, {{12, 12}, {12, 12}}}},
                                  0) == "");
}
TEST_CASE("pools of long windows, whose elements are joined in blocks") {
    auto const long_one = tx::reshape<1, 40, 1>(tx::remainder(tx::arange<double, 40>() * 17.0, 23.0));
    auto const check = [&](auto const& most, auto const& sums, auto... options) {
        CHECK(tx::testing::difference(tx::max_pool<11>(long_one, options...), most, 0) == "");
        CHECK(tx::testing::difference(tx::sum_pool<11>(tx::testing::with_open_extents(long_one), options...), sums, 0) == "");
    };
    check(
        tx::tensor<double, tx::shape<1, 15, 1>>{
            {{22}, {22}, {22}, {21}, {21}, {20}, {20}, {19}, {19}, {22}, {22}, {22}, {22}, {22}, {21}}},
        tx::tensor<double, tx::shape<1, 15, 1>>{
            {{130}, {136}, {142}, {125}, {131}, {114}, {120}, {103}, {109}, {115}, {121}, {127}, {133}, {139}, {122}}},
        tx::stride<2>);
    check(tx::tensor<double, tx::shape<1, 2, 1>>{{{22}, {21}}}, tx::tensor<double, tx::shape<1, 2, 1>>{{{114}, {129}}},
          tx::stride<5>, tx::dilation<3>);
    CHECK(tx::testing::difference(tx::sum_pool<32>(long_one), tx::tensor<double, tx::shape<1, 1, 1>>{{{359}}}, 0) == "");
    CHECK(tx::equal(tx::max_pool_with_indices<11>(tx::zeros_like(long_one), tx::stride<9>).second,
                    tx::tensor<std::int64_t, tx::shape<1, 4, 1>>{{{0}, {9}, {18}, {27}}}));
}
TEST_CASE("average_pool: what counts") {
    auto const padded = [](auto const& a) {
        return tx::average_pool<3, 2>(a, tx::stride<2, 1>, tx::widths<1>, tx::widths<0, 1>);
    };
    auto const wanted =
        tx::tensor<double, tx::shape<1, 3, 6, 2>>{{{{5.5, 7.5}, {6, 4.75}, {6.5, 5.25}, {7, 5.75}, {7.5, 6.25}, {4.5, 6.5}},
                                                   {{5.66666651, 7.66666651},
                                                    {6.16666651, 6},
                                                    {6.66666651, 4.33333349},
                                                    {7.16666651, 4.83333349},
                                                    {7.66666651, 5.33333349},
                                                    {9, 6.66666651}},
                                                   {{4.75, 6.75}, {5.25, 7.25}, {5.75, 4.5}, {6.25, 5}, {6.75, 5.5}, {7, 2.5}}}};
    tx::testing::check_in_all_forms(padded, wanted, 1e-6, 0, x);
    tx::testing::check_open_rank(padded, wanted, 1e-6, 0, x);
    CHECK(tx::testing::difference(tx::average_pool<3, 2>(x, tx::count_padding, tx::stride<2, 1>, tx::widths<1>, tx::widths<0, 1>),
                                  tx::tensor<double, tx::shape<1, 3, 6, 2>>{{{{3.66666675, 5},
                                                                              {4, 3.16666675},
                                                                              {4.33333349, 3.5},
                                                                              {4.66666651, 3.83333325},
                                                                              {5, 4.16666651},
                                                                              {1.5, 2.16666675}},
                                                                             {{5.66666651, 7.66666651},
                                                                              {6.16666651, 6},
                                                                              {6.66666651, 4.33333349},
                                                                              {7.16666651, 4.83333349},
                                                                              {7.66666651, 5.33333349},
                                                                              {4.5, 3.33333325}},
                                                                             {{3.16666675, 4.5},
                                                                              {3.5, 4.83333349},
                                                                              {3.83333325, 3},
                                                                              {4.16666651, 3.33333325},
                                                                              {4.5, 3.66666675},
                                                                              {2.33333325, 0.833333313}}}},
                                  1e-6) == "");
    auto const same = [](auto const& a) { return tx::average_pool<3, 3>(a, tx::mode::same, tx::stride<2>); };
    tx::testing::check_in_all_forms(
        same,
        tx::tensor<double, tx::shape<1, 3, 3, 2>>{{{{6.83333349, 6.66666651}, {7.83333349, 5.5}, {7.5, 6.25}},
                                                   {{5.55555534, 6.11111116}, {6.55555534, 4.22222233}, {7.66666651, 5.33333349}},
                                                   {{5, 7}, {6, 5.83333349}, {6.75, 5.5}}}},
        1e-6, 0, x);
}
TEST_CASE("average_pool: ceil mode") {
    auto const all = [](auto const& a) { return tx::average_pool<2, 2>(a, tx::ceil_mode); };
    tx::testing::check_in_all_forms(
        all,
        tx::tensor<double, tx::shape<1, 3, 3, 2>>{
            {{{5.5, 7.5}, {6.5, 5.25}, {7.5, 6.25}}, {{5, 7}, {6, 4.75}, {7, 5.75}}, {{3, 5}, {4, 6}, {5, 7}}}},
        1e-6, 0, x);
    CHECK(tx::testing::difference(
              tx::average_pool<2, 3>(x, tx::ceil_mode, tx::count_padding, tx::stride<2>, tx::widths<0>, tx::widths<1, 0>),
              tx::tensor<double, tx::shape<1, 3, 3, 2>>{{{{3.66666675, 5}, {5.16666651, 5}, {6.16666651, 6}},
                                                         {{3.33333325, 4.66666651}, {6.83333349, 6.66666651}, {7.83333349, 5.5}},
                                                         {{2, 3.33333325}, {2.66666675, 4.66666651}, {3.66666675, 5.66666651}}}},
              1e-6) == "");
}
TEST_CASE("lp_pool, sum_pool, min_pool") {
    CHECK(
        tx::testing::difference(tx::lp_pool<3, 2, 3>(x, tx::stride<1, 2>),
                                tx::tensor<double, tx::shape<1, 4, 2, 2>>{{{{14.8140001, 15.4668055}, {16.42729, 13.9914923}},
                                                                           {{13.9914923, 13.9385071}, {15.4737692, 11.2793484}},
                                                                           {{11.2793484, 14.1497545}, {12.6847248, 11.816658}},
                                                                           {{11.816658, 14.9150772}, {13.3438816, 13.2286959}}}},
                                1e-6) == "");
    CHECK(tx::testing::difference(tx::lp_pool<2, 2>(row{{{3}, {-4}, {0}, {0}}}), two{{{5}, {0}}}, 1e-15) == "");
    CHECK(tx::testing::difference(tx::lp_pool<1, 2>(row{{{3}, {-4}, {0}, {0}}}), two{{{7}, {0}}}, 0) == "");
    CHECK(tx::testing::difference(tx::sum_pool<2>(row{{{3}, {-4}, {1}, {2}}}), two{{{-1}, {3}}}, 0) == "");
    CHECK(tx::testing::difference(tx::min_pool<2>(row{{{3}, {-4}, {1}, {2}}}), two{{{-4}, {1}}}, 0) == "");
    CHECK(tx::testing::difference(tx::min_pool<3>(row{{{3}, {4}, {7}, {2}}}, tx::mode::same, tx::stride<1>),
                                  row{{{3}, {3}, {2}, {2}}}, 0) == "");
}
TEST_CASE("pools: NaN wins, infinities, integers, half, full padding") {
    CHECK(tx::testing::difference(tx::max_pool<2>(row{{{none}, {5.0}, {1.0}, {none}}}), two{{{none}, {none}}}, 0) == "");
    CHECK(tx::testing::difference(tx::min_pool<2>(row{{{-inf}, {5.0}, {1.0}, {inf}}}), two{{{-inf}, {1.0}}}, 0) == "");
    tx::tensor<std::int8_t, tx::shape<1, 3, 1>> const whole{{{-5}, {-7}, {-128}}};
    CHECK(tx::equal(tx::max_pool<2>(whole, tx::ceil_mode), tx::tensor<std::int8_t, tx::shape<1, 2, 1>>{{{-5}, {-128}}}));
    CHECK(tx::testing::difference(tx::average_pool<2>(whole, tx::ceil_mode), two{{{-6}, {-128}}}, 0) == "");
    static_assert(std::is_same_v<decltype(tx::average_pool<2>(whole)), tx::tensor<double, tx::shape<1, 1, 1>>>);
    tx::tensor<tx::half, tx::shape<1, 2, 1>> const wide{{{tx::half(60000.0f)}, {tx::half(60000.0f)}}};
    CHECK(static_cast<float>(tx::average_pool<2>(wide).item()) == static_cast<float>(tx::half(60000.0f))); // its sum is no half
    CHECK(tx::testing::difference(tx::sum_pool<2>(row{{{1}, {2}, {4}, {8}}}, tx::mode::full, tx::stride<1>),
                                  tx::tensor<double, tx::shape<1, 5, 1>>{{{1}, {3}, {6}, {12}, {8}}}, 0) == "");
    CHECK(tx::max_pool<2>(tx::tensor<float, tx::shape<0, 4, 3>>{}).size() == 0);
}
