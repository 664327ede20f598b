// This file tests windows as rows, their sum, and correlations, against NumPy and SciPy.
#include <tracexpr/conv.hpp>

#include <family_checks.hpp>

namespace {

// np.arange(1, 25).reshape(1, 2, 3, 4) * 7 % 11, channels first and last.
auto const first = tx::tensor<double, tx::shape<1, 2, 3, 4>>{
    {{{7, 3, 10, 6}, {2, 9, 5, 1}, {8, 4, 0, 7}}, {{3, 10, 6, 2}, {9, 5, 1, 8}, {4, 0, 7, 3}}}};
auto const x = tx::tensor<double, tx::shape<1, 3, 4, 2>>{
    {{{7, 3}, {3, 10}, {10, 6}, {6, 2}}, {{2, 9}, {9, 5}, {5, 1}, {1, 8}}, {{8, 4}, {4, 0}, {0, 7}, {7, 3}}}};
auto const a = tx::tensor<double, tx::shape<6>>{1, 2, 3, 4, 5, 6};
auto const three = tx::tensor<double, tx::shape<3>>{1, 10, 100};
auto const four = tx::tensor<double, tx::shape<4>>{1, 10, 100, 1000};

} // namespace

TEST_CASE("unfold: PyTorch's order with channels first, positions before channels with channels last") {
    auto const rows = [](auto const& v) { return tx::unfold<2, 3>(v, tx::stride<2, 1>, tx::widths<1, 0>, tx::widths<0, 1>); };
    tx::testing::check_in_all_forms(rows,
                                    tx::tensor<double, tx::shape<1, 6, 12>>{{{0, 0, 0, 0, 0, 0, 7, 3, 3, 10, 10, 6},
                                                                             {0, 0, 0, 0, 0, 0, 3, 10, 10, 6, 6, 2},
                                                                             {0, 0, 0, 0, 0, 0, 10, 6, 6, 2, 0, 0},
                                                                             {2, 9, 9, 5, 5, 1, 8, 4, 4, 0, 0, 7},
                                                                             {9, 5, 5, 1, 1, 8, 4, 0, 0, 7, 7, 3},
                                                                             {5, 1, 1, 8, 0, 0, 0, 7, 7, 3, 0, 0}}},
                                    0, 0, x);
    auto const torch = [](auto const& v) { return tx::unfold<2, 2>(v, tx::channels_first, tx::dilation<1, 2>); };
    tx::testing::check_in_all_forms(
        torch,
        tx::tensor<double, tx::shape<1, 8, 4>>{
            {{7, 3, 2, 9}, {10, 6, 5, 1}, {2, 9, 8, 4}, {5, 1, 0, 7}, {3, 10, 9, 5}, {6, 2, 1, 8}, {9, 5, 4, 0}, {1, 8, 7, 3}}},
        0, 0, first);
    tx::testing::check_open_rank(
        torch,
        tx::tensor<double, tx::shape<1, 8, 4>>{
            {{7, 3, 2, 9}, {10, 6, 5, 1}, {2, 9, 8, 4}, {5, 1, 0, 7}, {3, 10, 9, 5}, {6, 2, 1, 8}, {9, 5, 4, 0}, {1, 8, 7, 3}}},
        0, 0, first);
}
TEST_CASE("fold is the transpose of unfold") {
    auto const rows = [](auto const& v) { return tx::unfold<2, 3>(v, tx::stride<2, 1>, tx::widths<1, 0>, tx::widths<0, 1>); };
    auto const back = [](auto const& v) {
        return tx::fold<2, 3>(v, tx::output_extents<3, 4>, tx::stride<2, 1>, tx::widths<1, 0>, tx::widths<0, 1>);
    };
    auto const y = rows(x) * rows(x); // <unfold(x), y> is <x, fold(y)>
    CHECK(tx::sum(rows(x) * y).item() == tx::sum(x * back(y)).item());
    auto const slope = tx::grad([&](auto const& v, auto const& w) { return tx::sum(rows(v) * w); })(x, y);
    tx::testing::check_in_all_forms(back, slope, 0, 0, y);
    tx::testing::check_open_rank(back, slope, 0, 0, y);
    auto const torch = [](auto const& v) { return tx::unfold<2, 2>(v, tx::channels_first, tx::dilation<1, 2>); };
    auto const z = torch(first);
    auto const counted = tx::fold<2, 2>(z, tx::output_extents<3, 4>, tx::channels_first, tx::dilation<1, 2>);
    CHECK(tx::equal(counted, tx::grad([&](auto const& v, auto const& w) { return tx::sum(torch(v) * w); })(first, z)));
    tx::check_gradients([](auto const& v) { return tx::fold<2, 2>(tx::unfold<2, 2>(v), tx::output_extents<3, 4>); }, x);
}
TEST_CASE("correlate: modes of numpy.correlate, the shorter signal first or last") {
    auto const same = [](auto const& p, auto const& q) { return tx::correlate(p, q, tx::mode::same); };
    auto const valid = [](auto const& p, auto const& q) { return tx::correlate(p, q); };
    auto const full = [](auto const& p, auto const& q) { return tx::correlate(p, q, tx::mode::full); };
    auto const check = [](auto const& f, auto const& wanted, auto const& p, auto const& q) {
        CHECK(tx::testing::difference(f(p, q), wanted, 0) == "");
        CHECK(tx::testing::difference(f(tx::testing::with_open_extents(p), tx::testing::with_open_extents(q)), wanted, 0) == "");
    };
    check(same, tx::tensor<double, tx::shape<6>>{2100, 3210, 4321, 5432, 6543, 654}, a, four);
    check(same, tx::tensor<double, tx::shape<6>>{654, 6543, 5432, 4321, 3210, 2100}, four, a);
    check(same, tx::tensor<double, tx::shape<6>>{65, 654, 543, 432, 321, 210}, three, a);
    check(valid, tx::tensor<double, tx::shape<4>>{321, 432, 543, 654}, a, three);
    check(valid, tx::tensor<double, tx::shape<4>>{654, 543, 432, 321}, three, a);
    check(full, tx::tensor<double, tx::shape<8>>{100, 210, 321, 432, 543, 654, 65, 6}, a, three);
    check(full, tx::tensor<double, tx::shape<8>>{6, 65, 654, 543, 432, 321, 210, 100}, three, a);
    tx::testing::check_in_all_forms(same, tx::tensor<double, tx::shape<6>>{2100, 3210, 4321, 5432, 6543, 654}, 0, 0, a, four);
    tx::testing::check_open_rank(full, tx::tensor<double, tx::shape<8>>{6, 65, 654, 543, 432, 321, 210, 100}, 0, 0, three, a);
}
TEST_CASE("convolve: modes of numpy.convolve") {
    auto const check = [](auto mode, auto const& wanted, auto const& p, auto const& q) {
        CHECK(tx::testing::difference(tx::convolve(p, q, mode), wanted, 0) == "");
        CHECK(tx::testing::difference(tx::convolve(tx::testing::with_open_extents(p), tx::testing::with_open_extents(q), mode),
                                      wanted, 0) == "");
    };
    check(tx::mode::full, tx::tensor<double, tx::shape<8>>{1, 12, 123, 234, 345, 456, 560, 600}, a, three);
    check(tx::mode::same, tx::tensor<double, tx::shape<6>>{12, 123, 1234, 2345, 3456, 4560}, a, four);
    check(tx::mode::same, tx::tensor<double, tx::shape<6>>{12, 123, 1234, 2345, 3456, 4560}, four, a);
    check(tx::mode::valid, tx::tensor<double, tx::shape<4>>{123, 234, 345, 456}, three, a);
    tx::tensor<int, tx::shape<3>> const whole{1, 2, 3};
    CHECK(tx::equal(tx::convolve(whole, whole), tx::tensor<int, tx::shape<5>>{1, 4, 10, 12, 9}));
    tx::check_gradients([](auto const& p, auto const& q) { return tx::convolve(p, q, tx::mode::same); }, a, three);
}
TEST_CASE("correlate: complex numbers are conjugated") {
    using c = std::complex<double>;
    tx::tensor<c, tx::shape<2>> const p{c(1, 1), c(2, 0)}, q{c(0, 1), c(1, 0)};
    CHECK(tx::testing::difference(tx::correlate(p, q, tx::mode::full), tx::tensor<c, tx::shape<3>>{c(1, 1), c(3, -1), c(0, -2)},
                                  1e-15) == "");
}
TEST_CASE("correlate2d, convolve2d: scipy.signal's") {
    auto const m = tx::tensor<double, tx::shape<3, 4>>{{7, 3, 10, 6}, {2, 9, 5, 1}, {8, 4, 0, 7}};
    auto const k = tx::tensor<double, tx::shape<2, 2>>{{1, 10}, {100, 1000}};
    auto const same = [](auto const& p, auto const& q) { return tx::correlate2d(p, q, tx::mode::same); };
    tx::testing::check_in_all_forms(
        [&](auto const& p) {
            return tx::correlate2d(p, tx::tensor<double, tx::shape<2, 2>>{{1, 10}, {100, 1000}}, tx::mode::same);
        },
        tx::tensor<double, tx::shape<3, 4>>{{9237, 6003, 1570, 106}, {4892, 459, 7015, 701}, {48, 4, 70, 7}}, 0, 0, m);
    CHECK(tx::testing::difference(
              same(m, k), tx::tensor<double, tx::shape<3, 4>>{{9237, 6003, 1570, 106}, {4892, 459, 7015, 701}, {48, 4, 70, 7}},
              0) == "");
    CHECK(tx::testing::difference(tx::correlate2d(m, k),
                                  tx::tensor<double, tx::shape<4, 5>>{{7000, 3700, 10300, 7000, 600},
                                                                      {2070, 9237, 6003, 1570, 106},
                                                                      {8020, 4892, 459, 7015, 701},
                                                                      {80, 48, 4, 70, 7}},
                                  0) == "");
    CHECK(tx::testing::difference(tx::correlate2d(k, m, tx::mode::valid),
                                  tx::tensor<double, tx::shape<2, 3>>{{7015, 459, 4892}, {1570, 6003, 9237}}, 0) == "");
    CHECK(tx::testing::difference(
              tx::convolve2d(m, k, tx::mode::same),
              tx::tensor<double, tx::shape<3, 4>>{{7, 73, 40, 106}, {702, 7329, 4095, 10651}, {208, 2984, 9540, 5107}}, 0) == "");
    CHECK(tx::testing::difference(tx::convolve2d(k, m, tx::mode::same),
                                  tx::tensor<double, tx::shape<2, 2>>{{7329, 4095}, {2984, 9540}}, 0) == "");
    CHECK(tx::testing::difference(tx::convolve2d(m, k, tx::mode::valid),
                                  tx::tensor<double, tx::shape<2, 3>>{{7329, 4095, 10651}, {2984, 9540, 5107}}, 0) == "");
}
TEST_CASE("pad: symmetric and wrapped, also further than the elements go once (numpy.pad)") {
    tx::tensor<double, tx::shape<3>> const u{1, 2, 3};
    auto const symmetric = [](auto const& p) { return tx::pad(p, tx::widths<2, 3>, tx::symmetric); };
    tx::testing::check_in_all_forms(symmetric, tx::tensor<double, tx::shape<8>>{2, 1, 1, 2, 3, 3, 2, 1}, 0, 0, u);
    tx::testing::check_open_rank(symmetric, tx::tensor<double, tx::shape<8>>{2, 1, 1, 2, 3, 3, 2, 1}, 0, 0, u);
    auto const wrapped = [](auto const& p) { return tx::pad(p, tx::widths<2, 1>, tx::wrap); };
    tx::testing::check_in_all_forms(wrapped, tx::tensor<double, tx::shape<6>>{2, 3, 1, 2, 3, 1}, 0, 0, u);
    tx::tensor<double, tx::shape<2>> const w{1, 2};
    CHECK(tx::testing::difference(tx::pad(w, tx::widths<5>, tx::symmetric),
                                  tx::tensor<double, tx::shape<12>>{1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2}, 0) == "");
    CHECK(tx::testing::difference(tx::pad(w, tx::widths<5>, tx::wrap),
                                  tx::tensor<double, tx::shape<12>>{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1}, 0) == "");
    tx::check_gradients([](auto const& p) { return tx::pad(p, tx::widths<2>, tx::wrap); }, u);
}
