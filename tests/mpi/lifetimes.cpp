// This file tests the lifetime of communicators: tapes, accumulators, traces and functions that have used one keep it, after the
// program has dropped it and made others.
#include "errors.hpp"
#include "vectors.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>

namespace mpi = tx::mpi;
using mpi::communicator;
using tx::shape;
using tx::tensor;

namespace {
std::size_t known_communicators() { return mpi::detail::session_of_program->communicators.size(); }
// What nobody keeps any more is freed where others are made, once all ranks have come there.
void free_dropped() {
    for (int k = 0; k < 10; ++k) {
        mpi::barrier(mpi::world());
        static_cast<void>(mpi::world().duplicate());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}
} // namespace

TEST_CASE("lifetime: a tape keeps the communicators of what it has recorded, and no longer than it needs them") {
    vec const x = mine();
    {
        tx::gradient_tape tape({.persistent = true});
        tape.watch(x);
        vec sum, all;
        {
            auto const first = mpi::world().duplicate(), second = mpi::world().split(0, -static_cast<int>(mpi::world().rank()));
            sum = mpi::all_reduce(x * x, mpi::sum, first);
            for (int k = 0; k < 8; ++k) sum = sum + mpi::all_reduce(x * 0.0, mpi::sum, mpi::world().duplicate());
            all = mpi::broadcast(sum * x, 0, second); // of the last rank
        }
        free_dropped();
        auto const loss = tx::sum(all);
        for (int repeat = 0; repeat < 3; ++repeat) {
            vec const g = tape.gradient(loss, x);
            // ranks sum(x_last S) has the derivative 2 ranks x_last x, and on the last rank also ranks S.
            bool const is_last = x(0) == ranks();
            double const squares = ranks() * (ranks() + 1) * (2 * ranks() + 1) / 6;
            CHECK(g(0) == doctest::Approx(2 * ranks() * ranks() * x(0) + (is_last ? ranks() * squares : 0)));
            CHECK(g(1) == doctest::Approx(2 * ranks() * 2 * 2 + (is_last ? ranks() * 4 * ranks() : 0)));
            free_dropped();
        }
        CHECK(known_communicators() >= 10);
    }
    free_dropped();
    CHECK(known_communicators() < 10); // the world, and some that are being freed
}

TEST_CASE("lifetime: a forward accumulator keeps the communicators of what it has recorded") {
    vec const x = mine(), step{1, 2};
    tx::forward_accumulator acc{{x, step}};
    vec s;
    {
        auto const made = mpi::world().duplicate();
        s = mpi::all_reduce(x * x, mpi::sum, made);
    }
    free_dropped();
    CHECK(vec(acc.jvp(s))(0) == doctest::Approx(2 * total()));
}

TEST_CASE("lifetime: functions on tapes keep the communicators that they have captured") {
    vec const x = mine();
    tx::gradient_tape tape;
    tape.watch(x);
    vec y;
    {
        auto const made = mpi::world().duplicate();
        auto const f = tx::function{[made](auto v) { return mpi::all_reduce(v * v, mpi::sum, made); }};
        y = f(x);
    }
    free_dropped();
    vec const g = tape.gradient(tx::sum(y), x);
    CHECK(g(0) == doctest::Approx(2 * ranks() * x(0)));
}

TEST_CASE("lifetime: checkpoints on tapes keep the communicators that they have captured") {
    vec const x = mine();
    tx::gradient_tape tape;
    tape.watch(x);
    vec y;
    {
        auto const made = mpi::world().duplicate();
        y = tx::function{tx::checkpoint([made](auto v) { return tx::sin(mpi::all_reduce(v * v, mpi::sum, made)) * v; })}(x);
    }
    free_dropped();
    double const s = 4 * ranks();
    CHECK(vec(tape.gradient(tx::sum(y), x))(1) == doctest::Approx(std::sin(s) + 2 * std::cos(s) * 2 * 2 * ranks()));
}

TEST_CASE("lifetime: traces keep the communicator that they were made for, so that no other is taken for it") {
    auto const f =
        tx::function{[](auto v, auto const& among) { return mpi::broadcast(v, 0, among) + mpi::scan(v * 0.0, mpi::sum, among); }};
    auto const g = tx::function{tx::grad([](auto v, auto const& among) { return tx::sum(mpi::broadcast(v * v, 0, among)); })};
    auto const rank = static_cast<int>(mpi::world().rank());
    double const first = 1, last = ranks();
    for (int k = 0; k < 4; ++k) {
        bool const is_turned = k % 3 == 1; // then the last rank is the root
        auto const made = mpi::world().split(0, is_turned ? -rank : rank);
        CHECK(f(mine(), made)(0) == (is_turned ? last : first));
        bool const is_root = made.rank() == 0;
        CHECK(g(mine(), made)(0) == (is_root ? 2 * ranks() * mine()(0) : 0));
        if (k % 2) free_dropped();
    }
}

TEST_CASE("lifetime: communicators that functions have captured, which are copied and moved") {
    auto const make = [] {
        auto const turned = mpi::world().split(0, -static_cast<int>(mpi::world().rank()));
        return tx::function{[turned](auto v) { return mpi::broadcast(v, 0, turned); }};
    };
    auto f = std::make_unique<decltype(make())>(make());
    CHECK((*f)(mine())(0) == ranks());
    auto const copy = *f;
    f.reset();
    free_dropped();
    CHECK(copy(mine())(0) == ranks());
    auto const step = [&] {
        auto const own = mpi::world().duplicate();
        return mpi::data_parallel([](auto const& w, auto const& x) { return w * x; }, own);
    }();
    free_dropped();
    CHECK(step(vec{1, 1}, mine())(0) == doctest::Approx(total() / ranks()));
    free_dropped();
    CHECK(step(vec{1, 1}, mine())(0) == doctest::Approx(total() / ranks()));
}

TEST_CASE("lifetime: a communicator whose ranks drop it at different times") {
    vec const x = mine();
    auto made = std::make_optional(mpi::world().duplicate());
    tx::gradient_tape tape;
    tape.watch(x);
    vec const s = mpi::all_reduce(x * x, mpi::sum, *made);
    if (mpi::world().rank() % 2 == 0) made.reset();
    free_dropped();
    vec const g = tape.gradient(tx::sum(s), x);
    CHECK(g(1) == doctest::Approx(4 * ranks()));
    made.reset();
    free_dropped();
    CHECK(mpi::all_reduce(x, mpi::sum, mpi::world())(0) == total());
}
