// All passes on 2,000 random graphs, with known and with unknown extents: the plan, executed element by element, computes what the
// graph computes. Seeds are printed where something is wrong; TRACEXPR_SEEDS=first:last tries others.
#include <plan_interpreter.hpp>
#include <random_compare.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/simplify.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

using namespace tx::testing;

namespace {

struct seeds {
    unsigned long first = 0, last = 2000;
    seeds() {
        if (char const* const text = std::getenv("TRACEXPR_SEEDS")) std::sscanf(text, "%lu:%lu", &first, &last);
    }
};

// Runs g through the passes; what the plan computes, or why it can't.
std::string plan_problem(tx::graph_view const& g, std::vector<tx::array_view> const& arguments, std::vector<tx::host_array> const& wanted) {
    std::vector<tx::dims> shapes;
    for (tx::array_view const& a : arguments) shapes.push_back(a.shape);
    try {
        tx::clusters const c = tx::cluster(g);
        tx::buffer<tx::dims> const extents = tx::inferred_extents(g, shapes);
        tx::plan const p = tx::make_plan(g, c.view(), {extents.data(), extents.size()});
        return difference(interpret(g, p.view(), arguments), wanted);
    } catch (std::exception const& e) {
        return e.what();
    }
}

void check(tx::graph_view const& traced, std::vector<tx::array_view> const& arguments, std::vector<tx::host_array> const& wanted) {
    INFO(tx::to_text(traced));
    CHECK(problem_of(traced) == "");
    CHECK(plan_problem(tx::simplify(traced, {.simplify = false}), arguments, wanted) == ""); // without what passes must expand
    tx::graph const simplified = tx::simplify(traced);
    INFO(tx::to_text(simplified));
    CHECK(problem_of(simplified) == "");
    CHECK(plan_problem(simplified, arguments, wanted) == "");
}

} // namespace

TEST_CASE("plan: random graphs compute what the reference executor computes") {
    seeds const range;
    for (unsigned long seed = range.first; seed < range.last; ++seed) {
        CAPTURE(seed);
        tx::graph const g = tx::random_graph(seed);
        auto const arguments = tx::random_arguments(g, seed);
        auto const views = tx::views_of(arguments);
        auto const wanted = tx::run_reference(g, views);
        check(g, views, wanted);
        check(tx::with_unknown_extents(g, seed), views, wanted);
    }
}
