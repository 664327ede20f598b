// This file tests tx::mpi::stencil against the same function of the block with its halo, and the order in which a program runs an
// exchange and the work that doesn't need it.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>
#include <collectives/grids.hpp>
#include <rank_threads.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using tx::dyn, tx::shape, tx::tensor;
using tx::testing::rank_threads, tx::testing::thread_communicator;

namespace {

// Sums of neighbours, with other weights for each, so that none is mistaken for another. Whatever the dtype, they are exact.
constexpr auto along_first = [](auto const& h) {
    return tx::slice(h, tx::range<0, -3>) + 2 * tx::slice(h, tx::range<1, -2>) - 3 * tx::slice(h, tx::range<2, -1>) +
           5 * tx::slice(h, tx::range<3, tx::open>);
};
constexpr auto with_corners = [](auto const& h) {
    auto const rows = tx::slice(h, tx::range<0, -2>) - 2 * tx::slice(h, tx::range<2, tx::open>);
    return tx::slice(rows, tx::range<>, tx::range<0, -2>) + 3 * tx::slice(rows, tx::range<>, tx::range<1, -1>) +
           7 * tx::slice(rows, tx::range<>, tx::range<2, tx::open>);
};
constexpr auto skewed = [](auto const& h) { // one before on the first axis, two behind on the second
    auto const rows = tx::slice(h, tx::range<0, -1>) + 3 * tx::slice(h, tx::range<1, tx::open>);
    return tx::slice(rows, tx::range<>, tx::range<0, -2>) - 4 * tx::slice(rows, tx::range<>, tx::range<2, tx::open>);
};

template <class T, std::int64_t... Extents> tensor<T, shape<Extents...>> block_of_rank(int rank) {
    tensor<T, shape<Extents...>> out;
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<T>((i * 37 + rank * 11) % 23 - 9);
    return out;
}
template <class A, class B> bool equal(A const& a, B const& b) {
    return a.dimensions() == b.dimensions() && std::equal(a.data(), a.data() + a.size(), b.data());
}
// At once, traced with the type's extents and without, in a loop; then gradients.
template <class T, std::int64_t... Extents, std::size_t Axes, class F, class... Widths>
void check(F const& f, std::array<int, Axes> const& places, std::array<bool, Axes> const& periodic, Widths... w) {
    int ranks = 1;
    for (int const extent : places) ranks *= extent;
    rank_threads(ranks).run([&](thread_communicator const& world) {
        using fixed = tensor<T, shape<Extents...>>;
        using open = tensor<T, shape<(Extents ? dyn : 0)...>>;
        tx::mpi::grid const grid(world, places, {periodic});
        fixed const block = block_of_rank<T, Extents...>(world.rank());
        fixed const expected = f(tx::mpi::halo(block, grid, w...));
        auto const now = tx::mpi::stencil(f, block, grid, w...);
        static_assert(decltype(now)::static_dims() == tx::dims_of<shape<Extents...>>);
        tx::function const traced{[f, grid, w...](auto const& x) { return tx::mpi::stencil(f, x, grid, w...); }};
        CHECK(equal(now, expected));
        CHECK(equal(traced(block), expected));
        CHECK(equal(traced(open(block)), expected));

        tx::function const thrice{[f, grid, w...](auto const& x) {
            return tx::fori_loop(
                0, 3, [f, grid, w...](auto, auto y) { return decltype(y)(tx::mpi::stencil(f, y, grid, w...)); }, x);
        }};
        CHECK(equal(thrice(block), traced(traced(fixed(traced(block))))));

        if constexpr (tx::is_inexact(tx::dtype_of<T>)) {
            auto const gradient = [](auto const& made) {
                return tx::function{tx::grad([made](auto const& x) { return tx::sum(tx::square(made(x))); })};
            };
            auto const slope = gradient([f, grid, w...](auto const& x) { return tx::mpi::stencil(f, x, grid, w...); })(block);
            auto const joined = gradient([f, grid, w...](auto const& x) { return f(tx::mpi::halo(x, grid, w...)); })(block);
            CHECK(equal(slope, joined)); // of small integers, in which sums are exact
        }
    });
}
std::vector<std::string> steps_of(tx::profile_report const& report) {
    std::vector<std::string> out;
    for (tx::profile_step const& step : report.steps) out.push_back(step.name);
    return out;
}

} // namespace

TEST_CASE("stencil: in one axis, with walls and around, of any dtype") {
    for (int ranks = 1; ranks <= 4; ++ranks)
        for (bool const periodic : {false, true}) {
            CAPTURE(ranks);
            CAPTURE(periodic);
            check<double, 5>(along_first, std::array{ranks}, std::array{periodic}, tx::widths<1, 2>);
            check<float, 3, 2>(along_first, std::array{ranks}, std::array{periodic}, tx::widths<2, 1>);
            check<std::int32_t, 3>(along_first, std::array{ranks}, std::array{periodic}, tx::widths<3, 0>);
            check<std::int64_t, 3>(along_first, std::array{ranks}, std::array{periodic}, tx::widths<0, 3>);
        }
}

TEST_CASE("stencil: in two axes, corners included, and with a third that travels along") {
    for (auto const& places : {std::array{1, 1}, std::array{2, 2}, std::array{3, 1}, std::array{1, 3}})
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(places[0]);
            CAPTURE(places[1]);
            CAPTURE(kinds);
            std::array<bool, 2> const periodic{(kinds & 1) != 0, (kinds & 2) != 0};
            check<double, 4, 5>(with_corners, places, periodic, tx::widths<1>);
            check<float, 2, 2, 3>(with_corners, places, periodic, tx::widths<1>, tx::widths<1>);
            check<double, 4, 3>(skewed, places, periodic, tx::widths<1, 0>, tx::widths<0, 2>);
        }
}

TEST_CASE("stencil: blocks that are too short for an inside are refused, on every rank") {
    rank_threads(2).run([](thread_communicator const& world) {
        tx::mpi::grid const grid(world, {2});
        auto const two = tensor<double, shape<dyn>>(tx::ones<double>(shape<2>{}));
        CHECK_THROWS_WITH_AS(
            tx::mpi::stencil<2>([](auto const& h) { return tx::slice(h, tx::range<2, -2>); }, two, grid),
            "tx: mpi: stencil: a block must be at least as long as both sides of its halo together, on each axis "
            "of the grid; given (2,)",
            tx::shape_error);
        // Where only the run knows how long the block is.
        tx::function const f{[grid](auto const& x) {
            return tx::mpi::stencil<2>([](auto const& h) { return tx::slice(h, tx::range<2, -2>); }, x, grid);
        }};
        CHECK_THROWS_AS(f(tensor<double, shape<dyn>>(tx::ones<double>(shape<3>{}))), tx::shape_error);
        CHECK(f(tensor<double, shape<dyn>>(tx::ones<double>(shape<4>{}))).size() == 4);
    });
}

TEST_CASE("an exchange is begun before what doesn't need it, and waited for after that") {
    rank_threads(1).run([](thread_communicator const& world) {
        auto const x = tx::ones<double>(tx::shape<64, 64>{});
        tx::function const f{[world](auto const& a) {
            auto const far = tx::mpi::exchange(a, 0, 0, world);
            auto const product = tx::matmul(a, a);
            return tx::matmul(product, far);
        }};
        CHECK(f(x)(3, 5) == 64 * 64);
        auto const steps = steps_of(tx::profile(tx::profile_options{.repetitions = 1}, f, x));
        auto const place = [&](char const* name) { return std::find(steps.begin(), steps.end(), name) - steps.begin(); };
        CHECK(place("begin_exchange") < place("matmul"));
        CHECK(place("matmul") < place("finish"));
        CHECK(steps.back() == "matmul");

        // Where there is nothing to do meanwhile nothing is begun, and an exchange that nobody reads is done all the same.
        tx::function const alone{[world](auto const& a) { return tx::mpi::exchange(a, 0, 0, world); }};
        auto const few = steps_of(tx::profile(tx::profile_options{.repetitions = 1}, alone, x));
        CHECK(std::count(few.begin(), few.end(), "exchange") == 1);
        world.calls().clear();
        tx::function{[world](auto const& a) {
            static_cast<void>(tx::mpi::exchange(a, 0, 0, world));
            return tx::matmul(a, a);
        }}(x);
        CHECK(std::count(world.calls().begin(), world.calls().end(), "exchange float64 (64, 64)") == 1);
    });
}

TEST_CASE("collectives keep their order around exchanges that are under way") {
    rank_threads(2).run([](thread_communicator const& world) {
        int const other = 1 - world.rank();
        auto const x = tx::full<float>(tx::shape<3>{}, static_cast<float>(world.rank() + 1));
        tx::function const f{[world, other](auto const& a) {
            auto const first = tx::mpi::exchange(a, other, other, world);
            auto const sum = tx::mpi::all_reduce(a * 2.0f, tx::mpi::sum, world);
            auto const second = tx::mpi::exchange(first + sum, other, other, world);
            auto const last = tx::mpi::all_gather(a, world);
            return first + sum + second + tx::sum(last, tx::axis<0>);
        }};
        // Rank r has r + 1: first 2 - r, the sum 6, second r + 1 + 6, and 3.
        CHECK(f(x)(0) == 2 - world.rank() + 6 + world.rank() + 7 + 3);
        CHECK(world.calls() == std::vector<std::string>{"exchange float32 (3,)", "all_reduce float32 (3,)",
                                                        "exchange float32 (3,)", "all_gather float32 (3,)"});
    });
}
