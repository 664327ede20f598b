// This file tests that effects in a checkpoint happen once, also where a tape, the examples of a batch or second derivatives need
// their results. Expected values are closed forms.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <cmath>

using tx::shape;
using tx::tensor;
using tx::testing::in_all;
using tx::testing::in_both_traces;

namespace {

using number = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;
using scalar = tx::spec<double, shape<>>;

int calls = 0;
constexpr auto times_calls = [](auto const& x) { return ++calls, x * static_cast<double>(calls); };
constexpr auto called = [](auto const& x) { return tx::opaque<scalar>(times_calls, x); };
constexpr auto squares = [](auto const& x) { return ++calls, x * x; };
constexpr auto dropped = [](auto w) { return tx::sum(tx::nn::dropout(w * tx::ones<double>(shape<64>{}), 0.5)); };

} // namespace

TEST_CASE("checkpoint: second derivatives and examples of what is called") {
    auto const fourth = tx::checkpoint([](auto x) {
        return tx::fori_loop(0, 2, [](auto, auto t) { return tx::opaque<scalar>(squares, t); }, x);
    });
    in_both_traces(tx::hessian(fourth), [](auto const& f) {
        calls = 0;
        CHECK(f(number(3.0)).item() == doctest::Approx(12 * 9));
        CHECK(calls == 2);
    });
    auto const chosen = tx::checkpoint([](auto x) {
        return tx::cond(x > 0.0, [&] { return tx::opaque<scalar>(squares, x * x); },
                        [&] { return tx::sin(tx::opaque<scalar>(squares, tx::opaque<scalar>(squares, x))); });
    });
    auto const check = [](auto const& f) {
        calls = 0;
        vec const y = f(vec{2, -1.5, 3});
        CHECK(calls == 4);
        CHECK(y(0) == doctest::Approx(32));
        CHECK(y(1) == doctest::Approx(std::cos(std::pow(1.5, 4)) * 4 * std::pow(-1.5, 3)));
        CHECK(y(2) == doctest::Approx(108));
    };
    in_both_traces(tx::vmap(tx::grad(chosen)), check);
    in_both_traces(tx::grad([=](auto a) { return tx::sum(tx::vmap(chosen)(a)); }), check);
}
TEST_CASE("checkpoint: a tape differentiates one that draws or calls") {
    auto const drawing = tx::checkpoint([](auto w) { return tx::cond(w > 0, [&] { return dropped(w); }, [&] { return w; }) + dropped(w); });
    in_all(drawing, [](auto const& f) {
        number const w = 1.5;
        tx::gradient_tape tape;
        tape.watch(w);
        auto const y = f(w);
        number const slope = tape.gradient(y * y, w);
        CHECK(slope.item() == doctest::Approx(2 * y.item() * y.item() / 1.5));
        tx::forward_accumulator forward{tx::primal_and_tangent(w, number(2.0))};
        auto const z = f(w);
        CHECK(forward.jvp(z).item() == doctest::Approx(2 * z.item() / 1.5));
    });
    auto const calling = tx::checkpoint([](auto x) { return tx::sin(called(tx::sin(x)) * 2.0) * x; });
    tx::function const function{calling};
    auto const check = [&](auto const& x) {
        for (bool const twice : {false, true}) {
            calls = 0;
            tx::gradient_tape tape{{.persistent = true}};
            tape.watch(x);
            auto const y = function(x);
            double const s = std::sin(0.7), c = std::cos(0.7);
            CHECK(tape.gradient(y, x).item() == doctest::Approx(std::sin(2 * s) + 1.4 * std::cos(2 * s) * c));
            if (twice) CHECK(tape.gradient(y, x).item() == doctest::Approx(std::sin(2 * s) + 1.4 * std::cos(2 * s) * c));
            CHECK(calls == 1);
        }
    };
    check(number(0.7)), check(tensor<double>(number(0.7)));
}
TEST_CASE("a tape takes over what a function called that assigns to variables, too") {
    tx::variable sum{number(0.0)};
    tx::function const f{[&](auto x) {
        sum.assign_add(x);
        return tx::opaque<scalar>(squares, x) * x;
    }};
    number const x = 2.0;
    tx::gradient_tape tape;
    tape.watch(x);
    calls = 0;
    auto const y = f(x);
    CHECK(tape.gradient(y, x).item() == 12);
    CHECK(calls == 1);
    CHECK(sum.read().item() == 2);
}
