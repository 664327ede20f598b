// This file tests that values which a checkpointed callable uses besides its arguments have derivatives, too: y = sum(x * w) + w.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {
using scalar = tx::tensor<double, tx::shape<>>;
using vector = tx::tensor<double, tx::shape<3>>;
vector const x{1, 2, 3};
scalar const at{3};
tx::variable anywhere{at};

constexpr auto loss = [](auto w, auto v) { return tx::checkpoint([w](auto a) { return tx::sum(a * w); })(v) + w; };
struct layer {
    scalar w{3};
    constexpr auto operator()(auto a) const { return tx::sum(a * w); }
};
} // namespace

TEST_CASE("checkpoint: a captured expr") {
    CHECK(tx::grad(loss)(at, x).item() == 7);
    CHECK(tx::static_function{tx::grad(loss)}(at, x).item() == 7);
    CHECK(tx::jvp(loss)(at, x, scalar{1}, vector{0, 0, 0}).second.item() == 7);
    auto const [dw, dx] = tx::grad<0, 1>(loss)(at, x);
    CHECK(dw.item() == 7);
    CHECK(tx::equal(dx, vector{3, 3, 3}));
}
TEST_CASE("checkpoint: a captured value and one that is made of it") {
    auto const f = [](auto w) {
        auto const h = w * w;
        return tx::checkpoint([=](auto a) { return a * h * tx::exp(w) + w; })(w); // w^3 e^w + w
    };
    double const e = std::exp(3.0);
    CHECK(tx::grad(f)(at).item() == doctest::Approx((27 + 27) * e + 1));
    CHECK(tx::grad(tx::grad(f))(at).item() == doctest::Approx((27 + 2 * 27 + 18) * e));
    CHECK(tx::jvp(f)(at, scalar{1}).second.item() == doctest::Approx(54 * e + 1));
}
TEST_CASE("checkpoint: one within another, and for each of many examples") {
    auto const f = [](auto w, auto v) {
        return tx::checkpoint([w](auto a) { return tx::checkpoint([w](auto b) { return tx::sum(b * w); })(a) * w; })(v); // w^2 sum(x)
    };
    CHECK(tx::grad(f)(at, x).item() == 36);
    auto const each = tx::vmap([](auto w, auto a) { return tx::grad([a](auto v) { return tx::checkpoint([v](auto b) { return b * v * v; })(a); })(w); });
    CHECK(tx::equal(each(x, x), vector{2, 8, 18}));
}
TEST_CASE("checkpoint: captured variables on a tape and in an accumulator") {
    tx::variable w{at};
    auto const here = tx::checkpoint([&](auto a) { return tx::sum(a * w); });
    auto const there = tx::checkpoint([](auto a) { return tx::sum(a * anywhere); });
    {
        tx::gradient_tape tape;
        CHECK(tape.gradient(here(x) + w, w).item() == 7);
    }
    {
        tx::gradient_tape tape;
        CHECK(tape.gradient(there(x) + anywhere, anywhere).item() == 7);
    }
    {
        tx::gradient_tape tape;
        CHECK(tape.gradient(tx::function{there}(x) + anywhere, anywhere).item() == 7);
    }
    tx::forward_accumulator sum{{w, scalar{1}}};
    CHECK(sum.jvp(here(x) + w).item() == 7);
}
TEST_CASE("checkpoint: a tape around it in a traced callable") {
    tx::function const f{[there = tx::checkpoint([](auto a) { return tx::sum(a * anywhere); })](auto v) {
        tx::gradient_tape tape;
        return tape.gradient(there(v) + anywhere, anywhere);
    }};
    CHECK(f(x).item() == 7);
}
TEST_CASE("checkpoint: members of a struct") {
    tx::function const f{[](layer l, auto v) { return tx::grad([](layer m, auto a) { return tx::checkpoint(m)(a) + m.w; })(l, v); }};
    CHECK(f(layer{}, x).w.item() == 7);
}
