// This file tests small values, one for each of many places: Jacobians, and their zeros.
#include <run/elements_checks.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace tx::testing;

TEST_CASE("elements: Jacobians at many places") {
    auto const p = between(0.5, 2, places * 6, 1);
    wanted const want{slopes_of_sighted(places, p.data())};
    check(sighted_slopes, want, given<places, 6>(p, places));
    check(sighted_rows, want, given<places, 6>(p, places));
}
TEST_CASE("elements: what depends on nothing is 0 beside infinities") {
    auto p = between(0.5, 2, places * 6, 1);
    p[4] = std::numeric_limits<float>::infinity(); // a velocity
    auto const slopes = tx::static_function{sighted_slopes}(given<places, 6>(p, places));
    for (int row = 0; row < 3; ++row)
        for (int column = 3; column < 6; ++column) CHECK(slopes.data()[6 * row + column] == 0);
}
