// This file tests derivatives of halos, and a heat equation on a grid of ranks with its adjoint, against one process.
#include <collectives/grids.hpp>
#include <tracexpr/tracexpr.hpp>
#include <rank_threads.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using tx::range, tx::shape, tx::slice, tx::tensor;
using tx::testing::rank_threads, tx::testing::thread_communicator;

namespace {

// Integers, so that sums are exact and results can be compared bit by bit.
template <class Shape> tensor<double, Shape> numbers(int seed) {
    tensor<double, Shape> out;
    for (std::int64_t k = 0; k < out.size(); ++k) out.mutable_data()[k] = static_cast<double>((k * 7 + seed * 5) % 11 - 5);
    return out;
}
// The greatest difference of two tensors' elements.
template <class A, class B> double apart(A const& a, B const& b) {
    if (a.dimensions() != b.dimensions()) return std::numeric_limits<double>::infinity();
    double out = 0;
    for (std::int64_t k = 0; k < a.size(); ++k) out = std::max(out, std::abs(a.data()[k] - b.data()[k]));
    return out;
}
double total(tensor<double, shape<>> const& mine, thread_communicator const& world) {
    return tx::mpi::all_reduce(mine, tx::mpi::sum, world).item();
}
// body(grid) on grids of 1 to 6 ranks.
template <class Body> void on_grids(Body const& body) {
    for (auto const& extents : {std::array{1, 1}, std::array{2, 1}, std::array{2, 2}, std::array{3, 2}})
        for (bool const periodic : {false, true})
            rank_threads(extents[0] * extents[1]).run([&](thread_communicator const& world) {
                body(tx::mpi::grid(world, extents, {.periodic = {periodic, true}}));
            });
}

constexpr std::int64_t rows = 6, columns = 8;
using whole_plate = tensor<double, shape<rows, columns>>;

// A 5-point step, given how a tensor gets its halo.
template <class Halo> auto heat_step(Halo const& with_halo) {
    return [with_halo](auto const& u) {
        auto const p = with_halo(u);
        constexpr auto in = range<1, -1>;
        auto const around = slice(p, range<0, -2>, in) + slice(p, range<2, tx::open>, in) + slice(p, in, range<0, -2>) +
                            slice(p, in, range<2, tx::open>);
        return u + 0.125 * (around - 4.0 * u) * (1.0 + 0.01 * u);
    };
}
template <class Halo> auto after_steps(int steps, Halo const& with_halo) {
    return [=](auto const& u) {
        return tx::fori_loop(0, steps, [step = heat_step(with_halo)](auto const&, auto const& v) { return step(v); }, u);
    };
}
// What one process does for a plate with walls above and below, periodic from side to side.
constexpr auto halo_of_all = [](auto const& u) {
    auto const p = tx::pad(u, tx::widths<1, 1, 0, 0>);
    return tx::concat(tx::axis<1>, slice(p, range<>, range<-1, tx::open>), p, slice(p, range<>, range<0, 1>));
};
whole_plate start_of_plate() {
    whole_plate out;
    for (std::int64_t k = 0; k < out.size(); ++k) out.mutable_data()[k] = std::sin(static_cast<double>(k * k));
    return out;
}

} // namespace

TEST_CASE("halo: reverse mode is the transpose of forward mode, which is a halo itself") {
    on_grids([](auto const& grid) {
        using block = tensor<double, shape<2, 3>>;
        using wide = tensor<double, shape<6, 5>>;
        auto const haloed = [grid](auto const& x) { return tx::mpi::halo<2, 1>(x, grid); };
        block const x = numbers<shape<2, 3>>(grid.rank()), v = numbers<shape<2, 3>>(grid.rank() + 3);
        wide const w = numbers<shape<6, 5>>(grid.rank() + 7);
        tx::function const forward{tx::jvp(haloed)};
        tx::function const backward{tx::vjp(haloed)};
        auto const [y, change] = forward(x, v);
        block const pulled = std::get<0>(backward(x, w));
        CHECK(apart(change, haloed(v)) == 0);
        CHECK(total(tx::sum(change * w), grid.communicator()) == total(tx::sum(v * pulled), grid.communicator()));
        CHECK(apart(std::get<0>(tx::vjp(haloed)(x, w)), pulled) == 0);
    });
}

TEST_CASE("halo: first and second derivatives against central differences of all ranks' losses") {
    on_grids([](auto const& grid) {
        using block = tensor<double, shape<2, 2>>;
        auto const& world = grid.communicator();
        tensor<double, shape<4, 5>> const w = numbers<shape<4, 5>>(grid.rank());
        auto const loss = [grid, w](auto const& x) {
            return tx::sum(tx::sin(tx::mpi::halo(x, grid, tx::widths<1>, tx::widths<1, 2>)) * w);
        };
        block const x = numbers<shape<2, 2>>(grid.rank() + 1) * 0.125;
        auto const slope = tx::grad(loss);
        block const gradient = tx::function{slope}(x);
        // Each rank changes an element of its own, by its own amount.
        block const d = numbers<shape<2, 2>>(grid.rank() + 2) * 0.25;
        double const h = std::cbrt(std::numeric_limits<double>::epsilon());
        double const change = (total(loss(x + h * d), world) - total(loss(x - h * d), world)) / (2 * h);
        CHECK(total(tx::sum(gradient * d), world) == doctest::Approx(change).epsilon(1e-7));
        block const second = tx::function{tx::hvp(loss)}(x, d);
        block const change_of_slope = (slope(x + h * d) - slope(x - h * d)) / (2 * h);
        CHECK(apart(second, change_of_slope) < 1e-7); // the differences' error is of order h^2
    });
}

TEST_CASE("halo: ten steps of a heat equation and their adjoint are those of one process") {
    whole_plate const start = start_of_plate();
    auto const loss_of = [](auto const& steps) { return [steps](auto const& u) { return tx::sum(tx::square(steps(u))); }; };
    auto const alone = after_steps(10, halo_of_all);
    whole_plate const want = tx::function{alone}(start), want_slope = tx::function{tx::grad(loss_of(alone))}(start);
    CHECK(tx::max(tx::abs(want_slope)).item() > 0.01);
    rank_threads(4).run([&](thread_communicator const& world) {
        tx::mpi::grid const grid(world, {2, 2}, {.periodic = {false, true}});
        auto const shared = after_steps(10, [grid](auto const& u) { return tx::mpi::halo<1>(u, grid); });
        auto const [row, column] = grid.coords();
        auto const mine = [&](whole_plate const& all) {
            return tx::dynamic_slice(all, std::tuple(row * rows / 2, column * columns / 2), shape<rows / 2, columns / 2>{});
        };
        CHECK(apart(tx::function{shared}(mine(start)), mine(want)) < 1e-14); // sums in another order
        CHECK(apart(tx::function{tx::grad(loss_of(shared))}(mine(start)), mine(want_slope)) < 1e-13);
    });
}

TEST_CASE("halo: for each example of a batch") {
    on_grids([](auto const& grid) {
        auto const haloed = [grid](auto const& x) { return tx::mpi::halo<1>(x, grid); };
        auto const x = numbers<shape<3, 2, 4>>(grid.rank());
        auto const all = tx::function{tx::vmap(haloed)}(x);
        for (std::int64_t k = 0; k < 3; ++k)
            CHECK(apart(tx::slice(all, k), haloed(tensor<double, shape<2, 4>>(tx::slice(x, k)))) == 0);
    });
}
