// Collectives under gradient tapes and forward accumulators: what is computed at once is recorded, on every rank, and its
// derivatives run the transposed collectives on every rank.
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
