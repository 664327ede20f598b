// This file tests small values, one for each of many places: second derivatives.
#include <run/elements_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("elements: second derivatives at many places") {
    auto const p = between(-2, 2, places * 6, 3);
    check(stiffness, wanted{stiffness_of_springs(places, p.data())}, given<places, 6>(p, places));
}
