// This file tests tapes where memory runs out, and in other threads than their own.
#include <failing_memory.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <thread>

using tx::shape;
using tx::tensor;
using tx::testing::fail_everywhere;
using tx::testing::until_failure;
using vec = tensor<double, shape<100>>; // on the heap
using rank0 = tensor<double, shape<>>;

TEST_CASE("tape memory: a gradient that lacks memory leaves a persistent tape as it was") {
    vec const x = tx::full<double>(shape<100>{}, 2.0);
    tx::variable<double, shape<>> w{3.0};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    auto const y = tx::sum(tx::exp(x * w) * x);
    auto const z = tx::tanh(y) + tx::sum(x * x) * w;
    double const slope = (1 - std::tanh(y.item()) * std::tanh(y.item())) * std::exp(6.0) * 7 + 12;
    int const failures = fail_everywhere([&] { (void)tape.gradient(z, std::tuple(x, w)); },
                                         [&](bool) {
                                             auto const [dx, dw] = tape.gradient(z, std::tuple(x, w));
                                             REQUIRE(dx(5) == doctest::Approx(slope));
                                             REQUIRE(dw.item() == doctest::Approx(400 + (1 - std::tanh(y.item()) * std::tanh(y.item())) * 400 * std::exp(6.0)));
                                         });
    CHECK(failures > 10);
    auto const late = x * x * w;
    CHECK(tape.gradient(late, x)(7) == doctest::Approx(12));
}

TEST_CASE("tape memory: a gradient that lacks memory doesn't use up a tape") {
    vec const x = tx::full<double>(shape<100>{}, 2.0);
    int done = 0;
    for (int k = 0; done < 1; ++k) {
        tx::gradient_tape tape;
        tape.watch(x);
        auto const y = tx::sum(x * x * x);
        bool failed = false;
        until_failure = k;
        try {
            (void)tape.gradient(y, x);
        } catch (std::bad_alloc const&) {
            failed = true;
        }
        until_failure = -1;
        if (failed) REQUIRE(tape.gradient(y, x)(3) == doctest::Approx(12));
        else ++done;
    }
}

TEST_CASE("tape memory: a reset that lacks memory leaves the tape as it was") {
    vec const x = tx::full<double>(shape<100>{}, 3.0);
    tx::gradient_tape tape;
    tape.watch(x);
    int const failures = fail_everywhere([&] { tape.reset(); }, [&](bool failed) {
        if (!failed) return;
        CHECK(tape.gradient(x * x, x)(2) == 6);
        tape.reset();
        tape.watch(x);
    });
    CHECK(failures > 1);
    CHECK_THROWS_AS(tape.gradient(x * x, x), tx::tape_error);
}
TEST_CASE("tape memory: calls that lack memory, and are made again, are recorded once") {
    vec const x = tx::full<double>(shape<100>{}, 2.0);
    tx::function f{[](auto a) { return std::pair(a * a, tx::sum(a)); }};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    fail_everywhere(
        [&] {
            auto const [square, total] = f(x);
            auto const y = tx::sum(square * x) * total;
            until_failure = -1;
            REQUIRE(tape.gradient(y, x)(3) == doctest::Approx(12 * 200 + 800));
        },
        [](bool) {});
    CHECK(tape.gradient(tx::sum(f(x).first), x)(3) == doctest::Approx(4));
}

TEST_CASE("tape memory: a tape that is destroyed in another thread") {
    rank0 const x = 3.0;
    auto inner = std::make_unique<tx::gradient_tape>();
    tx::gradient_tape tape;
    tape.watch(x);
    auto later = std::make_unique<tx::gradient_tape>();
    later->watch(x);
    std::thread([&] {
        later.reset();
        inner.reset();
    }).join();
    auto const y = x * x;
    CHECK(tape.gradient(y, x).item() == 6);
}

TEST_CASE("tape memory: a tape that outlives its thread, and one that goes on in another") {
    rank0 const x = 3.0;
    std::unique_ptr<tx::gradient_tape> tape;
    rank0 y;
    std::thread([&] {
        tape = std::make_unique<tx::gradient_tape>();
        tape->watch(x);
        y = x * x;
    }).join();
    CHECK(tape->gradient(y, x).item() == 6);
    tape->reset(); // records in this thread from now on
    tape->watch(x);
    y = x * x * x;
    CHECK(tape->gradient(y, x).item() == 27);
}
