// This file tests collectives under gradient tapes and forward accumulators: what is computed at once is recorded, on every rank,
// and its derivatives run the transposed collectives on every rank.
#include "rank_threads.hpp"

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace mpi = tx::mpi;
using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<2>>;

namespace {

// Ranks check in threads of their own, and doctest counts one thread's checks: the first that fails is thrown.
void require(bool holds, char const* what) {
    if (!holds) throw tx::error(what);
}
bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1 + std::abs(b)); }
template <class A> bool near(A const& a, double first, double second) { return near(a(0), first) && near(a(1), second); }

} // namespace

TEST_CASE("tape: a collective is recorded, and its gradient is that of the sum of all ranks' losses") {
    for (int size = 1; size <= 4; ++size) {
        tx::testing::rank_threads ranks(size);
        ranks.run([&](auto const& world) {
            vec const x{1.0 + world.rank(), 2};
            tx::gradient_tape tape({.persistent = true});
            tape.watch(x);
            vec const s = mpi::all_reduce(x * x, mpi::sum, world); // S_i
            auto const loss = tx::sum(s * x);
            double total = 0, squares = 0; // of the first elements of all ranks
            for (int r = 0; r < size; ++r) total += 1 + r, squares += (1 + r) * (1 + r);
            vec const g = tape.gradient(loss, x);
            require(near(g, 2 * x(0) * total + squares, 2 * 2 * 2.0 * size + 4.0 * size), "gradient");
            vec const again = tape.gradient(loss, x);
            require(tx::equal(g, again), "the same, asked again");
            vec const other = tape.gradient(tx::sum(s), x);
            require(near(other, 2 * x(0) * size, 4.0 * size), "of another target");
            require(world.calls().size() == 4, "the reduction is done once, its transpose once for each gradient");
        });
    }
}

TEST_CASE("tape: a tape within a tape") {
    tx::testing::rank_threads ranks(3);
    ranks.run([&](auto const& world) {
        vec const x{1.0 + world.rank(), 2};
        tx::gradient_tape outer;
        outer.watch(x);
        vec g;
        {
            tx::gradient_tape inner;
            inner.watch(x);
            g = inner.gradient(tx::sum(mpi::all_reduce(x * x * x, mpi::sum, world)), x); // 3 * 3 x^2
        }
        require(near(g, 9 * x(0) * x(0), 36), "first derivative");
        vec const h = outer.gradient(tx::sum(g * g), x);
        require(near(h, 2 * 9 * x(0) * x(0) * 18 * x(0), 2 * 36 * 36), "second derivative");
    });
}

TEST_CASE("tape: ranks of which one alone depends on the source stay in step") {
    tx::testing::rank_threads ranks(3);
    ranks.run([&](auto const& world) {
        vec const w{3, 4};
        tx::gradient_tape tape;
        tape.watch(w);
        vec x{0, 0};
        if (world.rank() == 0) x = w * 2.0;
        vec const y = mpi::broadcast(x, 0, world);
        auto const loss = tx::sum(y * y * double(world.rank() + 1));
        vec const g = tape.gradient(loss, w);
        // The sum of (r + 1) 4 w^2 over the ranks: 6 * 8 w on the first rank, nothing elsewhere.
        if (world.rank() == 0) require(near(g, 48 * 3, 48 * 4), "the first rank's gradient");
        else require(near(g, 0, 0), "the others' gradient");
    });
}

TEST_CASE("tape: compiled functions with collectives, exchange, and a forward accumulator") {
    tx::testing::rank_threads ranks(4);
    ranks.run([&](auto const& world) {
        vec const x{1.0 + world.rank(), 2};
        int const right = (world.rank() + 1) % 4, left = (world.rank() + 3) % 4;
        auto const f = tx::function{[&](auto v) { return mpi::all_reduce(v * v, mpi::mean, world); }};
        tx::gradient_tape tape;
        tape.watch(x);
        vec const y = f(x), z = mpi::exchange(x * x, right, left, world);
        vec const g = tape.gradient(tx::sum(y * 3.0 + z * double(world.rank())), x);
        require(near(g, 6 * x(0) + 2 * x(0) * right, 12 + 4.0 * right), "gradient");
        vec const step{1, double(world.rank())};
        tx::forward_accumulator acc{{x, step}};
        vec const t = acc.jvp(mpi::all_reduce(x * x, mpi::sum, world));
        require(near(t, 2 * (1 + 2 + 3 + 4), 4 * 6), "tangent");
    });
}

// The gradients that sources have of x on rank 0 alone, which the others meet late or not at all.
TEST_CASE("tape: a source that ranks watch before and after a collective was recorded") {
    for (int size = 1; size <= 4; ++size) {
        tx::testing::rank_threads ranks(size);
        ranks.run([&](auto const& world) {
            vec const x{1.0 + world.rank(), 2};
            bool const is_early = world.rank() == 0;
            tx::gradient_tape tape({.persistent = true});
            if (is_early) tape.watch(x);
            vec const s = mpi::all_reduce(x * x, mpi::sum, world);
            if (!is_early) tape.watch(x); // what it went into before counts for nothing
            auto const loss = tx::sum(s * x);
            double total = 0, squares = 0; // of the first elements of all ranks
            for (int r = 0; r < size; ++r) total += 1 + r, squares += (1 + r) * (1 + r);
            for (int repeat = 0; repeat < 3; ++repeat) {
                vec const g = tape.gradient(loss, x);
                double const passed = is_early ? 2 * x(0) * total : 0, also = is_early ? 8.0 * size : 0;
                require(near(g, passed + squares, also + 4.0 * size), "gradient");
            }
            require(world.calls().size() == 4, "each gradient has the transposed reduction, on every rank");
        });
    }
}

TEST_CASE("tape: a variable that ranks read before and after a collective was recorded") {
    tx::testing::rank_threads ranks(3);
    ranks.run([&](auto const& world) {
        tx::variable<double, shape<2>> w{vec{3, 4}};
        vec const x{1.0 + world.rank(), 2};
        bool const is_early = world.rank() == 1;
        tx::gradient_tape tape;
        vec const given = is_early ? vec(w * x) : x;
        vec const s = mpi::all_reduce(given, mpi::sum, world), t = mpi::broadcast(s * 2.0, 2, world);
        auto const loss = tx::sum(t * w); // which the others read for the first time
        vec const g = tape.gradient(loss, w);
        // t = 2 s on all ranks, and dloss/ds of all ranks is 3 * 2 w, which rank 1 passes on by x.
        require(near(g, t(0) + (is_early ? 6 * 3 * x(0) : 0), t(1) + (is_early ? 6 * 4 * x(1) : 0)), "gradient");
    });
}

TEST_CASE("tape: a source that only one rank knows when the collectives are done") {
    tx::testing::rank_threads ranks(3);
    ranks.run([&](auto const& world) {
        vec const x{1.0 + world.rank(), 2}, late{5, 6};
        tx::gradient_tape tape;
        if (world.rank() == 2) tape.watch(x);
        vec const s = mpi::all_reduce(x * x, mpi::sum, world);
        if (world.rank() == 2) {
            require(near(vec(tape.gradient(tx::sum(s), x)), 2 * 3 * x(0), 2 * 3 * 2), "rank 2's gradient");
        } else {
            tape.watch(late); // nothing of this rank's leads to it
            require(near(vec(tape.gradient(tx::sum(s), late)), 0, 0), "zeros, as other ranks might have passed on some");
        }
    });
}

TEST_CASE("forward accumulator: who asks for a y that it has not recorded takes part, and gets zeros") {
    for (int size = 1; size <= 3; ++size) {
        tx::testing::rank_threads ranks(size);
        ranks.run([&](auto const& world) {
            vec const x{1.0 + world.rank(), 2}, step{1, double(world.rank())}, other{7, 8};
            tx::forward_accumulator acc{{x, step}};
            vec const s = mpi::all_reduce(x * x, mpi::sum, world), m = mpi::scan(s * x, mpi::sum, world);
            double firsts = 0, seconds = 0; // of the tangent of s on all ranks
            for (int r = 0; r < size; ++r) firsts += 2 * (1 + r), seconds += 4 * r;
            bool const knows = world.rank() == size - 1;
            vec const t = acc.jvp(knows ? s : other);
            require(knows ? near(t, firsts, seconds) : near(t, 0, 0), "tangent");
            if (!knows) {
                require(near(vec(acc.jvp(other, tx::unconnected::zero)), 0, 0), "zeros that were asked for");
                require(!acc.jvp(other, tx::unconnected::none).has_value(), "none");
            } else {
                for (int repeat = 0; repeat < 2; ++repeat) require(near(vec(acc.jvp(s)), firsts, seconds), "again");
            }
            static_cast<void>(m);
        });
    }
}
