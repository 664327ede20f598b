// This file tests halos: values on grids of 1 to 8 ranks against one array that holds everything, padded by zeros or
// periodically.
#include <collectives/grids.hpp>
#include <rank_threads.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <vector>

using tx::dyn, tx::shape, tx::tensor;
using tx::testing::rank_threads, tx::testing::thread_communicator;

namespace {

// Of a tensor that is cut along the axes of a grid, and has others behind them.
struct whole_array {
    std::vector<std::int64_t> extents;
    std::vector<bool> is_periodic; // of the grid's axes

    // A number for each element, which no other near it has; zero beyond walls.
    std::int64_t at(std::vector<std::int64_t> place) const {
        std::int64_t number = 0;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            std::int64_t const extent = extents[axis];
            if (place[axis] < 0 || place[axis] >= extent) {
                if (!is_periodic[axis]) return 0;
                place[axis] = (place[axis] % extent + extent) % extent;
            }
            number = number * extent + place[axis];
        }
        return number % 113 + 1;
    }
};

template <class T> T as_element(std::int64_t number) {
    if constexpr (std::is_same_v<T, bool>) return number % 3 == 1;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return {static_cast<float>(number), static_cast<float>(-2 * number)};
    else return static_cast<T>(static_cast<float>(number));
}

// How many elements of a part of the array, which starts at `first`, are not what the array has there.
template <class T, class Shape>
int wrong_elements(tensor<T, Shape> const& part, whole_array const& whole, std::vector<std::int64_t> const& first) {
    int wrong = 0;
    tx::dims const extents = part.dimensions();
    for (std::int64_t i = 0; i < part.size(); ++i) {
        std::vector<std::int64_t> place = first;
        std::int64_t rest = i;
        for (int axis = extents.rank; axis-- > 0; rest /= extents[axis])
            place[static_cast<std::size_t>(axis)] += rest % extents[axis];
        wrong += part.data()[i] != as_element<T>(whole.at(place));
    }
    return wrong;
}

// The block of each rank, its halo and the borders of the halo: computed at once and traced, with the type's extents and without.
template <class T, class... Widths, std::int64_t... Extents, std::size_t Axes>
void check(shape<Extents...>, std::array<int, Axes> const& places, std::array<bool, Axes> const& periodic, Widths... w) {
    using widths_of = tx::mpi::detail::ops::halo_widths<static_cast<int>(Axes), Widths...>;
    int ranks = 1;
    for (int const extent : places) ranks *= extent;
    rank_threads(ranks).run([&](thread_communicator const& world) {
        tx::mpi::grid const grid(world, places, {periodic});
        whole_array whole{{Extents...}, std::vector<bool>(periodic.begin(), periodic.end())};
        std::vector<std::int64_t> first(sizeof...(Extents));
        for (std::size_t axis = 0; axis < Axes; ++axis) {
            first[axis] = grid.coords()[axis] * whole.extents[axis];
            whole.extents[axis] *= places[axis];
        }
        tensor<T, shape<Extents...>> block;
        tx::dims const extents = block.dimensions();
        for (std::int64_t i = 0; i < block.size(); ++i) {
            std::vector<std::int64_t> place = first;
            std::int64_t rest = i;
            for (int axis = extents.rank; axis-- > 0; rest /= extents[axis])
                place[static_cast<std::size_t>(axis)] += rest % extents[axis];
            block.mutable_data()[i] = as_element<T>(whole.at(place));
        }
        auto const start = [&](int halo_axes) {
            std::vector<std::int64_t> out = first;
            for (int axis = 0; axis < halo_axes; ++axis) out[static_cast<std::size_t>(axis)] -= widths_of::before(axis);
            return out;
        };
        tx::dims wide = extents;
        for (int axis = 0; axis < static_cast<int>(Axes); ++axis) wide[axis] += widths_of::before(axis) + widths_of::behind(axis);

        tx::function const traced{[grid, w...](auto const& x) { return tx::mpi::halo(x, grid, w...); }};
        auto const now = tx::mpi::halo(block, grid, w...);
        static_assert(decltype(now)::static_dims().is_static());
        auto const all = {now, traced(block), decltype(now)(traced(tensor<T, shape<(Extents ? dyn : 0)...>>(block)))};
        for (auto const& result : all) {
            CHECK(result.dimensions() == wide);
            CHECK(wrong_elements(result, whole, start(static_cast<int>(Axes))) == 0);
        }
        auto const slabs = tx::mpi::halo_borders(block, grid, w...);
        static_assert(std::tuple_size_v<std::remove_const_t<decltype(slabs)>> == 2 * Axes);
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            auto const check_slab = [&](auto const& slab, int axis, bool is_before) {
                std::vector<std::int64_t> at = start(axis);
                at[static_cast<std::size_t>(axis)] += is_before ? -widths_of::before(axis) : extents[axis];
                CHECK(slab.dimensions()[axis] == (is_before ? widths_of::before(axis) : widths_of::behind(axis)));
                CHECK(wrong_elements(slab, whole, at) == 0);
            };
            (check_slab(std::get<K>(slabs), static_cast<int>(K / 2), K % 2 == 0), ...);
        }(std::make_index_sequence<2 * Axes>{});
    });
}
template <class F> std::string message_of(int ranks, F const& f) {
    std::string out;
    try {
        rank_threads(ranks).run(f);
    } catch (tx::error const& e) {
        out = e.what();
    }
    return out;
}

} // namespace

TEST_CASE("halo: in one axis, with walls and around") {
    for (int ranks = 1; ranks <= 5; ++ranks)
        for (bool const periodic : {false, true}) {
            CAPTURE(ranks);
            CAPTURE(periodic);
            check<double>(shape<3>{}, std::array{ranks}, std::array{periodic}, tx::widths<1>);
            check<double>(shape<3>{}, std::array{ranks}, std::array{periodic}, tx::widths<3>);
            check<double>(shape<3>{}, std::array{ranks}, std::array{periodic}, tx::widths<0, 2>);
        }
}

TEST_CASE("halo: in two axes, corners included") {
    for (auto const& places : {std::array{1, 1}, std::array{2, 2}, std::array{3, 2}, std::array{1, 4}, std::array{4, 1}})
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(places[0]);
            CAPTURE(places[1]);
            CAPTURE(kinds);
            std::array<bool, 2> const periodic{(kinds & 1) != 0, (kinds & 2) != 0};
            check<float>(shape<3, 4>{}, places, periodic, tx::widths<1>);
            check<float>(shape<3, 4>{}, places, periodic, tx::widths<2, 1>, tx::widths<0, 3>);
        }
}

TEST_CASE("halo: in three axes") {
    for (int kinds = 0; kinds < 8; ++kinds) {
        std::array<bool, 3> const periodic{(kinds & 1) != 0, (kinds & 2) != 0, (kinds & 4) != 0};
        check<std::int32_t>(shape<2, 3, 2>{}, std::array{2, 2, 2}, periodic, tx::widths<1>, tx::widths<2>, tx::widths<1>);
        check<std::int32_t>(shape<2, 3, 2>{}, std::array{2, 1, 3}, periodic, tx::widths<1>, tx::widths<2>, tx::widths<1>);
    }
}

TEST_CASE_TEMPLATE("halo: of all kinds of elements, channels travel along", T, bool, std::int8_t, std::uint64_t, tx::half,
                   std::complex<float>) {
    check<T>(shape<3, 2, 2>{}, std::array{2, 2}, std::array{true, false}, tx::widths<1>);
}

TEST_CASE("halo: nothing is asked for, or a block has nothing to give") {
    check<double>(shape<3, 2>{}, std::array{2, 1}, std::array{true, true}, tx::widths<0>);
    check<double>(shape<2, 0>{}, std::array{2}, std::array{true}, tx::widths<1>);
}

TEST_CASE("halo: two messages for each axis that has several places, all ranks alike") {
    rank_threads(4).run([](thread_communicator const& world) {
        tensor<double, shape<3, 5>> const x;
        tx::mpi::grid const square(world, {2, 2}), row(world, {1, 4}, {.periodic = {true, true}});
        static_cast<void>(tx::mpi::halo<1>(x, square));
        CHECK(world.calls() == std::vector<std::string>{"exchange float64 (1, 5)", "exchange float64 (1, 5)",
                                                        "exchange float64 (5, 1)", "exchange float64 (5, 1)"});
        world.calls().clear();
        static_cast<void>(tx::mpi::halo<1, 2>(x, row));
        CHECK(world.calls() == std::vector<std::string>{"exchange float64 (5, 2)", "exchange float64 (5, 2)"});
        world.calls().clear();
        static_cast<void>(tx::mpi::halo(x, row, tx::widths<1, 0>));
        CHECK(world.calls() == std::vector<std::string>{"exchange float64 (4, 1)"});
    });
}

TEST_CASE("halo: blocks may have other extents along the axis that they are neighbours on, and trees have several") {
    rank_threads(3).run([](thread_communicator const& world) {
        tx::mpi::grid const grid(world, {3}, {.periodic = {true}});
        tensor<int, shape<dyn>> const mine = tx::full<int, shape<dyn>>(10 * world.rank(), world.rank() + 1);
        auto const [a, b] = tx::mpi::halo<1>(std::pair{mine, tx::cast<double>(mine) + 0.5}, grid);
        REQUIRE(a.size() == world.rank() + 3);
        CHECK(a(0) == 10 * ((world.rank() + 2) % 3));
        CHECK(a(a.size() - 1) == 10 * ((world.rank() + 1) % 3));
        for (std::int64_t k = 0; k < a.size(); ++k) CHECK(b(k) == (a(k) + 0.5));
    });
}

TEST_CASE("halo: what a block is too short for is said before a message travels") {
    CHECK(message_of(2,
                     [](thread_communicator const& world) {
                         tx::mpi::grid const grid(world, {2});
                         static_cast<void>(tx::mpi::halo<3>(tx::zeros<double, shape<dyn, dyn>>(2, 5), grid));
                     }) == "tx: mpi: halo: a block must be at least as long as its halo is wide, on each axis of the grid; given "
                           "(2, 5), and on axis 0 a halo of 3 before and 3 behind");
    CHECK(message_of(2, [](thread_communicator const& world) {
              tx::mpi::grid const grid(world, {2});
              tx::function const f{[grid](auto x) { return tx::mpi::halo<3>(x, grid); }};
              static_cast<void>(f(tx::zeros<double, shape<dyn, dyn>>(2, 5)));
          }) != "");
}
