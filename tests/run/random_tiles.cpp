// Random graphs on the tile executor: what it computes is what the reference executor computes, with single passes switched off,
// too. Seeds are printed where something is wrong; TRACEXPR_SEEDS=first:last tries others.
#include <tracexpr/graph/print.hpp>
#include <tracexpr/tracexpr.hpp>
#include <random_compare.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {

// What the tile executor computes, or why it can't; what differs, in words.
std::string tiles_problem(tx::graph_view const& g, tx::pass_options const& options, std::vector<tx::array_view> const& arguments,
                          std::vector<tx::host_array> const& wanted) {
    std::vector<tx::dims> shapes;
    std::vector<void const*> data;
    for (tx::array_view const& a : arguments) shapes.push_back(a.shape), data.push_back(a.data);
    try {
        return difference(tx::detail::run_once<void>(g, data.data(), shapes, options), wanted);
    } catch (std::exception const& e) {
        return e.what();
    }
}

void check(tx::graph_view const& traced, std::vector<tx::array_view> const& arguments,
           std::vector<tx::host_array> const& wanted) {
    INFO(tx::to_text(traced));
    for (bool simplify : {true, false})
        for (bool cluster : {true, false}) {
            CAPTURE(simplify);
            CAPTURE(cluster);
            CHECK(tiles_problem(traced, {.simplify = simplify, .fast_math = false, .cluster = cluster}, arguments, wanted) == "");
        }
}

} // namespace

TEST_CASE("tiles: random graphs compute what the reference executor computes") {
    for_each_random_graph(check);
}
TEST_CASE("tiles: random graphs of long rows, whose ops follow each other as chains") {
    for_each_random_graph(check, 250, {.max_elements = 5000, .complex_numbers = false, .long_rows = true});
}
