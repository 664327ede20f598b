// This file tests tapes that record the same graph again and again, as training steps do. What a thread remembers of earlier
// derivatives must depend on the graph, the targets and the sources, and on nothing else.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

namespace {

using scalar = tx::tensor<double, tx::shape<>>;
using vec = tx::tensor<double, tx::shape<tx::dyn>>;
constexpr int steps = 5;

} // namespace

TEST_CASE("tape: the same step again, with other values") {
    for (int k = 0; k < steps; ++k) {
        scalar const x(0.5 + k);
        tx::gradient_tape tape;
        tape.watch(x);
        auto const y = tx::sin(x) * x;
        CHECK(tape.gradient(y, x).item() == doctest::Approx(std::cos(x.item()) * x.item() + std::sin(x.item())));
        CHECK_THROWS_AS(tape.gradient(y, x), tx::tape_error);
    }
}
TEST_CASE("tape: the same graph, asked otherwise") {
    for (int k = 0; k < 4 * steps; ++k) {
        scalar const x(1.0 + k), z(2.0);
        tx::gradient_tape tape;
        tape.watch(x, z);
        auto const y = x * x * z, w = y + z;
        switch (k % 4) {
        case 0: CHECK(tape.gradient(y, x).item() == 2 * x.item() * 2); break;
        case 1: CHECK(tape.gradient(w, z).item() == x.item() * x.item() + 1); break;
        case 2:
            CHECK(std::get<1>(tape.gradient(std::tuple(y, w), std::tuple(x, z))).item() == 2 * x.item() * x.item() + 1);
            break;
        default:
            auto const [dz, dx] = tape.gradient(y, std::tuple(z, x), tx::unconnected::zero);
            CHECK(dz.item() == x.item() * x.item());
            CHECK(dx.item() == 4 * x.item());
        }
    }
}
TEST_CASE("tape: the same ops on other extents, and scalars that change") {
    for (int k = 0; k < 3 * steps; ++k) {
        vec const x = tx::ones<double>(tx::shape<tx::dyn>{}, 3 + k % 2) * 2.0;
        double const rate = k % 3;
        tx::gradient_tape tape;
        tape.watch(x);
        auto const g = tape.gradient(tx::sum(x * x * rate), x);
        REQUIRE(g.size() == x.size());
        for (std::int64_t i = 0; i < g.size(); ++i) CHECK(g.data()[i] == 4 * rate);
    }
}
TEST_CASE("tape: what is not connected, each time") {
    for (int k = 0; k < steps; ++k) {
        scalar const x(1.0), z(2.0);
        tx::gradient_tape tape;
        tape.watch(x, z);
        auto const y = x * x;
        CHECK_THROWS_AS(tape.gradient(y, z), tx::tape_error);
        CHECK(!tape.gradient(y, z, tx::unconnected::none).has_value());
    }
}
TEST_CASE("tape: what is not connected is refused, also where tapes before were given zeros for it") {
    for (int k = 0; k < 2 * steps; ++k) {
        scalar const x(1.0 + k), z(2.0);
        tx::gradient_tape tape;
        tape.watch(x, z);
        auto const y = tx::sin(x) * x + tx::cos(x);
        if (k % steps == steps - 1) {
            CHECK_THROWS_AS(tape.gradient(y, std::tuple(x, z)), tx::tape_error);
        } else {
            auto const [dx, dz] = tape.gradient(y, std::tuple(x, z), tx::unconnected::zero);
            CHECK(dx.item() == doctest::Approx(std::cos(x.item()) * x.item()));
            CHECK(dz.item() == 0);
        }
    }
}
TEST_CASE("tape: one within another, which has to see the derivative each time") {
    for (int k = 0; k < steps; ++k) {
        scalar const x(1.0 + k);
        tx::gradient_tape outer;
        outer.watch(x);
        scalar slope;
        {
            tx::gradient_tape inner;
            inner.watch(x);
            slope = inner.gradient(x * x * x, x);
        }
        CHECK(slope.item() == doctest::Approx(3 * x.item() * x.item()));
        CHECK(outer.gradient(slope, x).item() == doctest::Approx(6 * x.item()));
    }
}
struct own_derivative {
    constexpr auto operator()(auto const& x, auto const& by, auto const& dy) const { return std::tuple(dy * x * by, dy * 0.0); }
};
TEST_CASE("tape: a derivative that a user gave") {
    auto const f = tx::custom_gradient([](auto const& x, auto const& by) { return x * x * by; }, own_derivative{});
    for (int k = 0; k < steps; ++k) {
        scalar const x(3.0);
        tx::gradient_tape tape;
        tape.watch(x);
        CHECK(tape.gradient(f(x, scalar(k)), x).item() == 3.0 * k);
    }
}
TEST_CASE("tape: variables that a step changes") {
    tx::variable<double, tx::shape<>> w{scalar(4.0)};
    double want = 4;
    for (int k = 0; k < steps; ++k) {
        tx::gradient_tape tape;
        auto const loss = tx::square(w - 1.0);
        w.assign_sub(tape.gradient(loss, w) * 0.25);
        want -= 0.5 * (want - 1);
        CHECK(w.value().item() == doctest::Approx(want));
    }
}
