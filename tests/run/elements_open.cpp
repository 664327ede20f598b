// This file tests small values at a number of places that only a call knows: Jacobians.
#include <run/elements_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("elements: Jacobians at a number of places that a call tells") {
    auto const p = between(0.5, 2, places * 6, 1);
    for (std::int64_t const n : {0, 1, 5, 16, 17, 307})
        check(sighted_rows, wanted{slopes_of_sighted(n, p.data())}, given<tx::dyn, 6>(p, n));
}
