// This file tests derivatives at many places, and products of small matrices, on a device.
#include <tracexpr/thrust.hpp>

#include <doctest/doctest.h>
#include <run/elements_checks.hpp>

using namespace tx::testing;

TEST_CASE("elements: on a device") {
    auto const p = between(0.5, 2, places * 6, 1);
    wanted const slopes{slopes_of_sighted(places, p.data())};
    auto const device_slopes = tx::on(tx::thrust_points{}, sighted_slopes);
    check_near(tx::to(tx::cpu{}, device_slopes(given<places, 6>(p, places))), slopes, 2e-5);
    check_near(tx::to(tx::cpu{}, device_slopes(given<tx::dyn, 6>(p, places))), slopes, 2e-5);

    auto const a = between(-1, 1, places * 9, 4), b = between(-1, 1, places * 9, 5);
    auto const got = tx::on(tx::thrust_points{}, turned)(given<places, 3, 3>(a, places), given<places, 3, 3>(b, places));
    check_near(tx::to(tx::cpu{}, got), wanted{turned_matrices(places, a.data(), b.data())}, 2e-5);
}
