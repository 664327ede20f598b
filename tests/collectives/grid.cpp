// This file tests grids of ranks: places, neighbours, and extents that are chosen.
#include <collectives/grids.hpp>
#include <rank_threads.hpp>

#include <doctest/doctest.h>

#include <string>

using tx::testing::rank_threads, tx::testing::thread_communicator;

namespace {

// body(world) on each of so many ranks, whose checks are made by one after the other.
template <class Body> void on_ranks(int size, Body const& body) {
    for (int turn = 0; turn < size; ++turn)
        rank_threads(size).run([&](thread_communicator const& world) {
            if (world.rank() == turn) body(world);
        });
}
template <class Make> std::string message_of(Make const& make) {
    std::string out;
    rank_threads(6).run([&](thread_communicator const& world) {
        if (world.rank() != 0) return;
        try {
            make(world);
        } catch (tx::error const& e) {
            out = e.what();
        }
    });
    return out;
}

} // namespace

TEST_CASE("grid: ranks are row-major, and neighbours go around periodic axes only") {
    on_ranks(6, [](thread_communicator const& world) {
        tx::mpi::grid const grid(world, {2, 3}, {.periodic = {true, false}});
        auto const [row, column] = grid.coords();
        CHECK(row == world.rank() / 3);
        CHECK(column == world.rank() % 3);
        CHECK(grid.rank_at({row, column}) == world.rank());
        CHECK(grid.rank_at({row + 2, column}) == world.rank());
        CHECK(grid.rank_at({row, column + 3}) < 0);
        CHECK(grid.neighbour(0, 1) == (1 - row) * 3 + column);
        CHECK(grid.neighbour(0, -1) == grid.neighbour(0, 1));
        CHECK(grid.neighbour(1, -1) == (column == 0 ? -1 : world.rank() - 1));
        CHECK(grid.neighbour(1, 1) == (column == 2 ? -1 : world.rank() + 1));
        CHECK(grid.neighbour(1, 0) == world.rank());
        CHECK(grid.is_periodic(0));
        CHECK_FALSE(grid.is_periodic(1));
    });
}

TEST_CASE("grid: every rank has one place, in one to four axes") {
    on_ranks(8, [](thread_communicator const& world) {
        CHECK(tx::mpi::grid(world, {8}).coords()[0] == world.rank());
        tx::mpi::grid const cube(world, {2, 2, 2});
        for (int rank = 0; rank < 8; ++rank) CHECK(cube.rank_at(cube.coords(rank)) == rank);
        CHECK(cube.coords(6) == std::array{1, 1, 0});
        tx::mpi::grid const thin(world, {1, 4, 1, 2});
        CHECK(thin.coords(5) == std::array{0, 2, 0, 1});
        CHECK(thin.neighbour(0, 1) < 0);
    });
}

TEST_CASE("grid: an extent of 0 is chosen") {
    on_ranks(6, [](thread_communicator const& world) {
        CHECK(tx::mpi::grid(world, {0, 0}).extents() == std::array{3, 2});
        CHECK(tx::mpi::grid(world, {2, 0}).extents() == std::array{2, 3});
        CHECK(tx::mpi::grid(world, {0, 1, 0}).extents() == std::array{3, 1, 2});
        CHECK(tx::mpi::grid(world, tx::mpi::balanced<1>(world.size())).extents() == std::array{6});
    });
    CHECK(tx::mpi::balanced<2>(1) == std::array{1, 1});
    CHECK(tx::mpi::balanced<2>(36) == std::array{6, 6});
    CHECK(tx::mpi::balanced<2>(7) == std::array{7, 1});
    CHECK(tx::mpi::balanced<2>(60) == std::array{10, 6});
    CHECK(tx::mpi::balanced<3>(24) == std::array{4, 3, 2});
    CHECK(tx::mpi::balanced<3>(72) == std::array{6, 4, 3});
    CHECK(tx::mpi::balanced<3>(16, std::array{0, 2, 0}) == std::array{4, 2, 2});
    for (int ranks = 1; ranks < 200; ++ranks) {
        auto const extents = tx::mpi::balanced<3>(ranks);
        CHECK(extents[0] * extents[1] * extents[2] == ranks);
        CHECK((extents[0] >= extents[1] && extents[1] >= extents[2]));
    }
}

TEST_CASE("grid: what doesn't fit the ranks is said") {
    CHECK(message_of([](auto const& world) { tx::mpi::grid(world, {2, 2}); }) ==
          "tx: mpi: grid: there must be a place for each rank; given (2, 2), 4 places, for 6 ranks");
    CHECK(message_of([](auto const& world) { tx::mpi::grid(world, {4, 0}); }) ==
          "tx: mpi: grid: the extents that are told must divide the number of ranks; given (4, 0) for 6 ranks");
    CHECK(message_of([](auto const& world) { tx::mpi::grid(world, {-2, -3}); }) ==
          "tx: mpi: grid: an extent must be positive, or 0 to be chosen; given (-2, -3)");
    CHECK(message_of([](auto const& world) { tx::mpi::grid(world, {2, 3}).neighbour(2, 1); }) ==
          "tx: mpi: grid: the axis must be one of the grid's, 0 to 1; given 2");
    CHECK(message_of([](auto const& world) { tx::mpi::grid(world, {2, 3}).coords(6); }) ==
          "tx: mpi: grid: coords(rank) needs a rank, 0 to 5; given 6");
}
