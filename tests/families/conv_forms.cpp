// This file tests tx::conv and tx::conv_transpose in all forms of a call, and what they throw.
#include <families/conv_helper.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("conv: of known and open extents and ranks, in functions and batches") {
    auto const x = whole_numbers(tx::shape<2, 9, 10, 3>{}, 1.3);
    auto const w = whole_numbers(tx::shape<3, 2, 3, 5>{}, 0.7);
    auto const halved = [](auto p, auto q) { return tx::conv(p, q, tx::stride<2>, tx::mode::same); };
    check_in_all_forms(halved, halved(x, w), 0, 0, x, w);
    check_open_rank(halved, halved(x, w), 0, 0, x, w);
    auto const whole = [](auto p, auto q) { return tx::conv(p, q, tx::dilation<1, 2>, tx::mode::full); };
    check_in_all_forms(whole, whole(x, w), 0, 0, x, w);
    CHECK(difference(whole(x, with_open_extents(w)), whole(x, w), 0) == "");
    auto const slope = tx::grad<1>([=](auto p, auto q) { return tx::sum(tx::square(whole(p, q))); });
    CHECK(difference(slope(with_open_extents(x), with_open_extents(w)), slope(x, w), 0) == "");
}
TEST_CASE("conv_transpose: of known and open extents") {
    auto const y = whole_numbers(tx::shape<2, 5, 6>{}, 1.3);
    auto const w = whole_numbers(tx::shape<3, 2, 6>{}, 0.7);
    auto const spread = [](auto p, auto q) { return tx::conv_transpose(p, q, tx::groups<2>, tx::stride<3>, tx::dilation<2>); };
    tx::tensor<double, tx::shape<2, 17, 4>> const wanted = spread(y, w);
    check_in_all_forms(spread, wanted, 0, 0, y, w);
    CHECK(tx::equal(spread(tx::cast<int>(y), tx::cast<int>(w)), tx::cast<int>(wanted)));
    auto const doubled = [](auto p, auto q) { return tx::conv_transpose(p, q, tx::groups<2>, tx::stride<2>, tx::mode::same); };
    check_in_all_forms(doubled, doubled(y, w), 0, 0, y, w);
    CHECK(doubled(y, w).extent(1) == 10);
    auto const narrow = [](auto p, auto q) { return tx::conv_transpose(p, q, tx::groups<2>, tx::stride<2>, tx::mode::full); };
    check_in_all_forms(narrow, narrow(y, w), 0, 0, y, w);
    auto const told = tx::conv_transpose(y, w, tx::groups<2>, tx::stride<2>, tx::widths<1>, tx::output_extents<10>);
    CHECK(told.extent(1) == 10);
}
TEST_CASE("conv_transpose: the transpose of conv") {
    auto const w = whole_numbers(tx::shape<3, 2, 6>{}, 0.7);
    auto const x = whole_numbers(tx::shape<2, 11, 4>{}, 1.3);
    auto const y = whole_numbers(tx::shape<2, 6, 6>{}, 0.4);
    auto const forth = tx::conv(x, w, tx::groups<2>, tx::stride<2>, tx::widths<1>);
    auto const back = tx::conv_transpose(y, w, tx::groups<2>, tx::stride<2>, tx::widths<1>);
    CHECK(tx::sum(forth * y).item() == tx::sum(x * back).item());
}
TEST_CASE("conv: what does not fit throws") {
    tx::tensor<float> const x = tx::zeros<float>(tx::shape<2, 9, 3>{});
    tx::tensor<float> const w = tx::zeros<float>(tx::shape<3, 2, 5>{});
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::conv(x, w)), "tx: conv: w must have the channels of one group of x, and the groups must divide the filters; given (2, 9, 3), (3, 2, 5)", tx::shape_error);
    tx::tensor<float> const longer = tx::zeros<float>(tx::shape<10, 3, 5>{});
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::conv(x, longer)), "tx: conv: a window must have elements and lie within x and its padding; given (2, 9, 3), (10, 3, 5)", tx::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::conv(x, tx::tensor<float>(tx::zeros<float>(tx::shape<3, 5>{})))), "tx: conv: x and w must have one rank, of 3 to 5: x (n, spatial..., c) and w (window..., c / groups, filters); given (2, 9, 3), (3, 5)", tx::shape_error);
}
