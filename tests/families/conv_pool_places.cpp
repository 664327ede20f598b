// This file tests the places of maxima, pools of given extents and of whole planes, and derivatives of pools.
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
using two_places = tx::tensor<std::int64_t, tx::shape<1, 2, 1>>;

} // namespace

TEST_CASE("max_pool_with_indices: numbers within a plane (ONNX: MaxPool)") {
    auto const places = [](auto const& a) {
        return tx::max_pool_with_indices<3, 2>(a, tx::stride<2>, tx::widths<1>, tx::widths<0>).second;
    };
    auto const values = [](auto const& a) {
        return tx::max_pool_with_indices<3, 2>(a, tx::stride<2>, tx::widths<1>, tx::widths<0>).first;
    };
    tx::testing::check_in_all_forms(places,
                                    tx::tensor<std::int64_t, tx::shape<1, 3, 3, 2>>{
                                        {{{6, 6}, {8, 2}, {10, 4}}, {{6, 6}, {8, 15}, {10, 17}}, {{19, 19}, {21, 26}, {23, 28}}}},
                                    0, 0, x);
    tx::testing::check_open_rank(
        values,
        tx::tensor<double, tx::shape<1, 3, 3, 2>>{
            {{{10, 12}, {11, 10}, {12, 11}}, {{10, 12}, {11, 10}, {12, 11}}, {{10, 12}, {11, 9}, {12, 10}}}},
        0, 0, x);
}
TEST_CASE("max_pool_with_indices: the first of equal elements, of -inf and NaN, never the padding") {
    auto const pool = [](auto const& a) { return tx::max_pool_with_indices<2>(a).second; };
    CHECK(tx::equal(pool(row{{{2}, {2}, {1}, {3}}}), two_places{{{0}, {3}}}));
    CHECK(tx::equal(pool(row{{{none}, {none}, {1.0}, {none}}}), two_places{{{0}, {3}}}));
    row const least{{{-inf}, {-inf}, {-inf}, {-inf}}};
    CHECK(tx::equal(tx::max_pool_with_indices<3>(least, tx::widths<1>).second, two_places{{{0}, {2}}}));
}
TEST_CASE("max_unpool") {
    auto const back = [](auto const& a) {
        auto const [values, places] = tx::max_pool_with_indices<2>(a);
        return tx::max_unpool<2>(values, places);
    };
    row const wanted{{{2}, {0}, {0}, {3}}};
    tx::testing::check_in_all_forms(back, wanted, 0, 0, row{{{2}, {2}, {1}, {3}}});
    tx::testing::check_open_rank(back, wanted, 0, 0, row{{{2}, {2}, {1}, {3}}});
    auto const to_five = [](auto const& a) {
        auto const [values, places] = tx::max_pool_with_indices<2, 2>(a);
        return tx::max_unpool<2, 2>(values, places, tx::output_extents<5, 6>);
    };
    auto const given = to_five(x);
    static_assert(std::is_same_v<std::remove_cv_t<decltype(given)>, tx::tensor<double, tx::shape<1, 5, 6, 2>>>);
    CHECK(tx::equal(tx::max_pool<2, 2>(given), tx::max_pool<2, 2>(x)));
    CHECK(tx::sum(given).item() == tx::sum(tx::max_pool<2, 2>(x)).item());
    tx::check_gradients([](auto const& v) { return tx::max_unpool<2>(v, two_places{{{0}, {3}}}); }, two{{{2}, {3}}});
}
TEST_CASE("adaptive pools: windows of two lengths, of one, and fewer elements than windows") {
    auto const mean = [](auto const& a) { return tx::adaptive_average_pool<3, 4>(a); };
    tx::testing::check_in_all_forms(
        mean,
        tx::tensor<double, tx::shape<1, 3, 4, 2>>{
            {{{5.5, 7.5}, {6, 4.75}, {7, 5.75}, {7.5, 6.25}},
             {{5.66666667, 7.66666667}, {6.16666667, 6}, {7.16666667, 4.83333333}, {7.66666667, 5.33333333}},
             {{4.75, 6.75}, {5.25, 7.25}, {6.25, 5}, {6.75, 5.5}}}},
        1e-8, 0, x);
    tx::testing::check_open_rank(
        mean,
        tx::tensor<double, tx::shape<1, 3, 4, 2>>{
            {{{5.5, 7.5}, {6, 4.75}, {7, 5.75}, {7.5, 6.25}},
             {{5.66666667, 7.66666667}, {6.16666667, 6}, {7.16666667, 4.83333333}, {7.66666667, 5.33333333}},
             {{4.75, 6.75}, {5.25, 7.25}, {6.25, 5}, {6.75, 5.5}}}},
        1e-8, 0, x);
    auto const most = [](auto const& a) { return tx::adaptive_max_pool<3, 2>(a); };
    tx::testing::check_in_all_forms(
        most, tx::tensor<double, tx::shape<1, 3, 2, 2>>{{{{11, 12}, {12, 11}}, {{11, 12}, {12, 11}}, {{10, 12}, {12, 10}}}}, 0, 0,
        x);
    CHECK(tx::testing::difference(tx::adaptive_average_pool<5, 3>(x),
                                  tx::tensor<double, tx::shape<1, 5, 3, 2>>{{{{4, 6}, {5, 7}, {6, 8}},
                                                                             {{7, 9}, {8, 3.5}, {9, 4.5}},
                                                                             {{3.5, 5.5}, {4.5, 6.5}, {5.5, 7.5}},
                                                                             {{6.5, 8.5}, {7.5, 3}, {8.5, 4}},
                                                                             {{3, 5}, {4, 6}, {5, 7}}}},
                                  1e-8) == "");
    CHECK(tx::testing::difference(tx::adaptive_average_pool<6>(row{{{1}, {2}, {3}, {4}}}),
                                  tx::tensor<double, tx::shape<1, 6, 1>>{{{1}, {1.5}, {2}, {3}, {3.5}, {4}}}, 1e-8) == "");
    CHECK(tx::testing::difference(tx::adaptive_average_pool<2>(row{{{inf}, {1.0}, {2.0}, {4.0}}}), two{{{inf}, {3.0}}}, 0) == "");
}
TEST_CASE("global pools") {
    auto const mean = [](auto const& a) { return tx::global_average_pool(a); };
    auto const most = [](auto const& a) { return tx::global_max_pool(a, tx::keepdims); };
    tx::testing::check_in_all_forms(mean, tx::tensor<double, tx::shape<1, 2>>{{5.8, 6.06666667}}, 1e-8, 0, x);
    tx::testing::check_in_all_forms(most, tx::tensor<double, tx::shape<1, 1, 1, 2>>{{{{12, 12}}}}, 0, 0, x);
    tx::testing::check_open_rank(mean, tx::tensor<double, tx::shape<1, 2>>{{5.8, 6.06666667}}, 1e-8, 0, x);
    CHECK(tx::equal(tx::global_max_pool(tx::moveaxis(x, tx::axis<3>, tx::axis<1>), tx::channels_first),
                    tx::squeeze(most(x), tx::axis<1, 2>)));
}
TEST_CASE("derivatives of pools: the first of equal elements") {
    auto const slope = tx::grad([](auto const& a) { return tx::sum(tx::max_pool<2>(a)); });
    CHECK(tx::equal(slope(row{{{2}, {2}, {1}, {3}}}), row{{{1}, {0}, {0}, {1}}}));
    auto const least = tx::grad([](auto const& a) { return tx::sum(tx::min_pool<2>(a)); });
    CHECK(tx::equal(least(row{{{2}, {2}, {1}, {3}}}), row{{{1}, {0}, {1}, {0}}}));
    auto const all = tx::grad([](auto const& a) { return tx::sum(tx::global_max_pool(a)); });
    CHECK(tx::equal(all(row{{{2}, {3}, {1}, {3}}}), row{{{0}, {1}, {0}, {0}}}));
    auto const norm = tx::grad([](auto const& a) { return tx::sum(tx::lp_pool<2, 2>(a)); });
    CHECK(tx::testing::difference(norm(row{{{3}, {4}, {0}, {0}}}), row{{{0.6}, {0.8}, {0.0}, {0.0}}}, 1e-15) == "");
}
TEST_CASE("derivatives of pools by differences") {
    tx::tensor<double, tx::shape<1, 3, 4, 1>> const y{
        {{{0.3}, {1.1}, {-0.7}, {2.0}}, {{0.9}, {-1.3}, {0.2}, {0.5}}, {{1.7}, {0.1}, {-0.4}, {0.8}}}};
    tx::check_gradients([](auto const& a) { return tx::max_pool<2, 2>(a, tx::stride<1>, tx::mode::same); }, y);
    tx::check_gradients([](auto const& a) { return tx::average_pool<3, 3>(a, tx::stride<2>, tx::mode::same); }, y);
    tx::check_gradients([](auto const& a) { return tx::lp_pool<3, 2, 2>(a); }, y);
    tx::check_gradients([](auto const& a) { return tx::adaptive_average_pool<2, 3>(a); }, y);
}
