// This file tests random graphs: loops on Thrust's host system, and as a GPU would run them.
#include <thrust/crew.hpp>

using namespace tx::testing;

namespace {
template <std::uint64_t Seed> void check_graph() {
    constexpr auto seed = Seed;
    CAPTURE(seed);
    tx::graph const g = tx::random_graph(Seed, static_options);
    auto const arguments = tx::random_arguments(g, Seed);
    auto const wanted = tx::run_reference(g, tx::views_of(arguments));
    crew_queue queue{tx::detail::device_queue::of(0)};
    CHECK(difference(run_by_crew<known_extents<Seed>>(queue, tx::views_of(arguments)), wanted) == "");
    CHECK(difference(run_on_thrust<known_extents<Seed>>(moved_arrays(arguments).views()), wanted) == "");
    if constexpr (Seed % 2 == 0) CHECK(difference(run_by_crew<open_extents<Seed>>(queue, tx::views_of(arguments)), wanted) == "");
}
template <std::uint64_t First, std::uint64_t... I> void check_graphs(std::integer_sequence<std::uint64_t, I...>) { (check_graph<First + I>(), ...); }
} // namespace

TEST_CASE("thrust loops: random graphs") { check_graphs<6>(std::make_integer_sequence<std::uint64_t, 4>{}); }
