// This file tests tx::profile of functions on Thrust's host systems.
#include <tracexpr/inspect.hpp>
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;

TEST_CASE("profile: on a host system, of elements here and there") {
    constexpr tx::profile_options twice{.repetitions = 2};
    constexpr tx::thrust_device device{};
    auto const f = tx::on(device, [](auto x, auto y) { return tx::sum(tx::exp(x) * y, tx::axis<1>); });
    auto const x = tx::ones<float>(shape<300, 200>{}), y = x * 2;
    tx::profile_report const here = tx::profile(twice, f, x, y),
                             there = tx::profile(twice, f, tx::to(device, x), tx::to(device, y));
    for (tx::profile_report const* r : {&here, &there}) {
        REQUIRE(r->steps.size() == 1);
        CHECK(r->executor == "kernels");
        CHECK(r->total().flops == 3 * 300 * 200);
        CHECK(r->total().bytes == 4 * (2 * 300 * 200 + 300));
    }
    int const by = 3;
    tx::profile_report const traced =
        tx::profile(twice, tx::on(device, [by](auto a) { return tx::exp(a) * by; }), tx::to(device, x));
    CHECK(traced.executor == "tiles");
    CHECK(traced.total().flops == 2 * 300 * 200);
}
