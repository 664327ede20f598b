// This file tests gradient tapes with functions that capture by tx::capture.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;

namespace {

vec const given{1, 1, 2};
struct scaled {
    tx::variable<float, shape<3>> by;
    constexpr auto operator()(auto x) const { return x * by; }
};

} // namespace

TEST_CASE("capture: a tape that watches what is captured") {
    vec const x{1, 1, 2};
    vec w{1, 2, 3};
    tx::variable v{vec{1, 1, 1}};
    auto const callable = [w = tx::capture(w), v = tx::capture(v)](auto y) { return tx::sum(y * w * w * v); };
    for (tx::jit const mode : {tx::jit::automatic, tx::jit::never}) {
        tx::function f{callable, tx::options{.jit = mode}};
        tx::gradient_tape tape;
        tape.watch(w);
        tape.watch(x);
        auto const [dw, dv, dx] = tape.gradient(f(x), std::tuple(w, v, x));
        CHECK(tx::equal(dw, vec{2, 4, 12}));
        CHECK(tx::equal(dv, vec{1, 4, 18}));
        CHECK(tx::equal(dx, vec{1, 4, 9}));
    }
}

TEST_CASE("capture: a tape in a callable takes its value") {
    vec w{1, 2, 3};
    tx::function f{[w = tx::capture(w)](auto x) {
        tx::gradient_tape tape;
        auto const now = w.value();
        tape.watch(now);
        return tape.gradient(tx::sum(x * now * now), now);
    }};
    CHECK(tx::equal(f(given), vec{2, 4, 12}));
    w = vec{1, 1, 1};
    CHECK(tx::equal(f(given), vec{2, 2, 4}));
}

TEST_CASE("capture: tapes of structs, of rules that a user gave, of tapes; forward mode") {
    vec w{1, 2, 3};
    auto const loss = [w = tx::capture(w)](auto x) { return tx::sum(x * w * w); };
    SUBCASE("a struct's variable watches itself") {
        scaled s{vec{1, 2, 3}};
        tx::static_function f{[s = tx::capture(s)](auto x) { return s(x); }};
        tx::gradient_tape tape;
        auto const y = f(given);
        CHECK(tx::equal(tape.gradient(y, s.by), given));
    }
    SUBCASE("checkpoint, twice") {
        tx::function f{tx::checkpoint(loss)};
        tx::gradient_tape outer;
        outer.watch(w);
        vec slope;
        {
            tx::gradient_tape inner;
            inner.watch(w);
            slope = inner.gradient(f(given), w);
        }
        CHECK(tx::equal(slope, vec{2, 4, 12}));
        CHECK(tx::equal(outer.gradient(slope, w), vec{2, 2, 4}));
    }
    SUBCASE("forward mode") {
        tx::forward_accumulator change{{w, vec{1, 0, 0}}};
        CHECK(change.jvp(tx::function{loss}(given)).item() == 2);
    }
}
