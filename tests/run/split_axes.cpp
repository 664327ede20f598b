// This file tests pairs of points of a few coordinates: their last axis is split where it is known, and results are those of
// float64.
#include <run/split_axes_programs.hpp>

using namespace tx::testing;

TEST_CASE("split axes: pairs of points") {
    auto const x = numbers_of<float, 300, 3>(1), y = numbers_of<float, 300, 3>(2) * 1.3f;
    auto const wide_x = tx::cast<double>(x), wide_y = tx::cast<double>(y);
    auto const whole_x = tx::round(x * 100);
    auto const whole_y = tx::round(y * 100); // equal distances are equal in float, too
    check(nearest, nearest(tx::cast<double>(whole_x), tx::cast<double>(whole_y)), whole_x, whole_y);
    check(boxes, boxes(wide_x, wide_y), x, y);
    check(tx::grad<0, 1>(energy), tx::grad<0, 1>(energy)(wide_x, wide_y), x, y);
    check(shown, shown(wide_x, wide_y), x, y);
}
