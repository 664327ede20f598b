// This file tests random graphs on the tile executor, with single passes switched off, too: it must compute what the reference
// executor computes. Seeds are printed where a check fails; TRACEXPR_SEEDS=first:last tries others.
#include <tracexpr/ad/reverse.hpp>
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

// The gradients of the sum of all outputs of float64 with respect to the parameters of float64; without outputs where there are
// none.
tx::graph gradients_of(tx::graph const& g) {
    tx::trace_scope scope;
    scope.recorded = g;
    scope.recorded.clear_outputs();
    auto const is_double = [&](tx::node_id id) { return g[id].type == tx::dtype::float64; };
    std::vector<tx::node_id> sources;
    for (tx::node_id const id : g.view().parameters)
        if (id != tx::node_id::none && is_double(id)) sources.push_back(id);
    tx::ad::reverse_pass pass(scope, {sources.data(), sources.size()});
    for (tx::node_id const id : g.view().outputs)
        if (is_double(id)) pass.add(id, tx::ad::zeros_like({scope.recorded, id}) + 1.0);
    pass.run();
    for (tx::node_id const id : sources)
        if (!pass.gradient(id).is_zero()) scope.recorded.add_output(pass.gradient(id).id());
    return std::move(scope.recorded);
}

} // namespace

TEST_CASE("tiles: random graphs compute what the reference executor computes") { for_each_random_graph(check); }
TEST_CASE("tiles: random graphs of long rows, whose ops follow each other as chains") {
    for_each_random_graph(check, 250, {.max_elements = 5000, .complex_numbers = false, .long_rows = true});
}
TEST_CASE("tiles: gradients of random graphs are what the reference executor makes of them") {
    unsigned long first = 0, last = 600, compared = 0;
    if (char const* const text = std::getenv("TRACEXPR_SEEDS")) std::sscanf(text, "%lu:%lu", &first, &last);
    for (unsigned long seed = first; seed < last; ++seed) {
        CAPTURE(seed);
        tx::graph const g = tx::random_graph(seed, {.small_floats = false, .complex_numbers = false, .long_rows = seed % 4 == 0});
        if (tx::detail::has_custom_derivatives(g.view())) continue; // whose rules are nobody's
        tx::graph const gradients = gradients_of(g);
        if (gradients.outputs().empty()) continue;
        ++compared;
        auto const arguments = tx::random_arguments(g.view(), seed);
        auto const views = tx::views_of(arguments);
        INFO(tx::to_text(gradients.view()));
        CHECK(tiles_problem(gradients.view(), {}, views, tx::run_reference(gradients, views)) == "");
    }
    if (last - first >= 600) CHECK(compared > 100);
}
