// Small values, one for each of many places: what they are in closed form, whether the compiler knows how many there are or not.
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
TEST_CASE("elements: Jacobians at a number of places that a call tells") {
    auto const p = between(0.5, 2, places * 6, 1);
    for (std::int64_t const n : {0, 1, 5, 16, 17, 307})
        check(sighted_rows, wanted{slopes_of_sighted(n, p.data())}, given<tx::dyn, 6>(p, n));
}
TEST_CASE("elements: what depends on nothing is 0 beside infinities") {
    auto p = between(0.5, 2, places * 6, 1);
    p[4] = std::numeric_limits<float>::infinity(); // a velocity
    auto const slopes = tx::static_function{sighted_slopes}(given<places, 6>(p, places));
    for (int row = 0; row < 3; ++row)
        for (int column = 3; column < 6; ++column) CHECK(slopes.data()[6 * row + column] == 0);
}
