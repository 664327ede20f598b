// This file tests forward accumulators: their values against closed forms and reverse mode.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using rank0 = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;

namespace {
bool same(auto const& a, auto const& b) { return tx::equal(a, b); }
} // namespace

TEST_CASE("forward accumulator: the change along a tangent") {
    vec const x{1, 2, 3}, dx{1, 10, 100};
    tx::forward_accumulator acc{{x, dx}};
    auto const y = x * x;
    auto const dy = acc.jvp(y);
    static_assert(std::is_same_v<decltype(dy), vec const>);
    CHECK(same(dy, vec{2, 40, 600}));
    CHECK(acc.jvp(tx::sum(y)).item() == 642);
    CHECK(same(acc.jvp(x), dx));
    CHECK(!acc.jvp(dx * 2, tx::unconnected::none));
    CHECK(same(acc.jvp(dx * 2, tx::unconnected::zero), vec{}));
}

TEST_CASE("forward accumulator: several sources, functions, variables") {
    rank0 const x = 3.0, y = 4.0;
    tx::variable<double, shape<>> w{5.0};
    tx::forward_accumulator acc{{x, rank0(1.0)}, {y, rank0(10.0)}, {w, rank0(100.0)}};
    tx::static_function f{[](auto a, auto b) { return a * b; }};
    CHECK(acc.jvp(f(x, y)).item() == 34);
    CHECK(acc.jvp(w * x).item() == 305);
}

TEST_CASE("forward accumulator: nested, and around a tape and within one") {
    rank0 const x = 2.0, one = 1.0;
    SUBCASE("second derivative") {
        tx::forward_accumulator outer{{x, one}}, inner{{x, one}};
        auto const y = x * x * x;
        auto const first = inner.jvp(y);
        CHECK(first.item() == 12);
        CHECK(outer.jvp(first).item() == 12);
    }
    SUBCASE("forward over reverse: a Hessian times a vector") {
        vec const at{1, 2, 3}, v{1, 10, 100};
        tx::forward_accumulator acc{{at, v}};
        tx::gradient_tape tape;
        tape.watch(at);
        auto const slope = tape.gradient(tx::sum(at * at * at), at);
        CHECK(same(acc.jvp(slope), vec{6, 120, 1800}));
    }
    SUBCASE("reverse over forward") {
        tx::gradient_tape tape;
        tape.watch(x);
        tx::forward_accumulator acc{{x, one}};
        auto const slope = acc.jvp(x * x * x);
        CHECK(tape.gradient(slope, x).item() == 12);
    }
}

TEST_CASE("forward accumulator: a source has one tangent") {
    rank0 const x = 2.0, one = 1.0;
    rank0 const copy = x;
    tx::variable<double, shape<>> v{3.0};
    auto const twice = [](auto const& a, auto const& b, auto const& step) {
        return message_of<tx::tape_error>([&] { tx::forward_accumulator acc{{a, step}, {b, step}}; });
    };
    std::string const words = "tx: forward_accumulator: each source must be given once";
    CHECK(twice(x, x, one).find(words) == 0);
    CHECK(twice(v, v, one).find(words) == 0);
    CHECK(twice(x, copy, one).find("nothing") == 0);
    tx::forward_accumulator acc{{x, one}};
    CHECK(acc.jvp(x * x).item() == 4);
}
