// This file tests all passes on 2,000 random graphs, with known and with unknown extents, and with single passes switched off:
// the plan, executed element by element, must compute what the graph computes. Seeds are printed where a check fails;
// TRACEXPR_SEEDS=first:last tries others.
#include <plan_interpreter.hpp>
#include <random_compare.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/pipeline.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {

// Runs g through the passes; what the plan computes, or why it can't.
std::string plan_problem(tx::graph_view const& g, tx::pass_options const& options, std::vector<tx::array_view> const& arguments, std::vector<tx::host_array> const& wanted) {
    std::vector<tx::dims> shapes;
    for (tx::array_view const& a : arguments) shapes.push_back(a.shape);
    try {
        tx::compiled_graph const made = tx::run_passes(g, options, shapes);
        return difference(interpret(made.simplified, made.plan.view(), arguments), wanted);
    } catch (std::exception const& e) {
        return e.what();
    }
}

void check(tx::graph_view const& traced, std::vector<tx::array_view> const& arguments, std::vector<tx::host_array> const& wanted) {
    INFO(tx::to_text(traced));
    CHECK(problem_of(traced) == "");
    tx::graph const simplified = tx::simplify(traced);
    INFO(tx::to_text(simplified));
    CHECK(problem_of(simplified) == "");
    for (bool simplify : {true, false})
        for (bool cluster : {true, false})
            for (bool reuse : {true, false}) {
                CAPTURE(simplify);
                CAPTURE(cluster);
                CAPTURE(reuse);
                CHECK(plan_problem(traced, {.simplify = simplify, .fast_math = false, .cluster = cluster, .reuse = reuse}, arguments, wanted) == "");
            }
}

} // namespace

TEST_CASE("plan: random graphs compute what the reference executor computes") {
    for_each_random_graph(check);
}
