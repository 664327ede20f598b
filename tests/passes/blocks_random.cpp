// This file tests random graphs for a target of tiny caches, so that nearly all of them are computed in blocks: the reference
// executor must compute the same from the graph with blocks and from the one without. Seeds are printed where a check fails;
// TRACEXPR_SEEDS=first:last tries others.
#include <tracexpr/graph/print.hpp>
#include <tracexpr/passes/pipeline.hpp>
#include <random_compare.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {

constexpr tx::plan_target tiny_caches(std::int64_t bytes) {
    tx::plan_target target = tx::this_processor;
    target.cached_bytes = target.block_bytes = bytes;
    return target;
}
int nests = 0, joined = 0, open = 0;

void count(tx::graph_view const& g) {
    for (tx::node const& n : g) {
        if (n.code != tx::op::blocks) continue;
        ++nests;
        joined += tx::block_form::of(n).joined > 0;
        open += tx::block_form::of(n).block == 0;
    }
}
void check(tx::graph_view const& traced, std::vector<tx::array_view> const& arguments,
           std::vector<tx::host_array> const& wanted) {
    std::vector<tx::dims> shapes;
    for (tx::array_view const& a : arguments) shapes.push_back(a.shape);
    for (std::int64_t const bytes : {16, 64}) {
        tx::plan_target const target = tiny_caches(bytes);
        for (bool known : {true, false}) {
            CAPTURE(bytes);
            CAPTURE(known);
            tx::compiled_graph const made =
                tx::run_passes(traced, {}, known ? tx::table_view<tx::dims>(shapes) : tx::table_view<tx::dims>{}, target);
            INFO(tx::to_text(made.simplified));
            CHECK(problem_of(made.simplified) == "");
            CHECK(difference(tx::run_reference(made.simplified, arguments), wanted) == "");
            count(made.simplified);
        }
    }
}

} // namespace

TEST_CASE("blocks: random graphs with them compute what they compute without") {
    for_each_random_graph(check);
    if (std::getenv("TRACEXPR_SEEDS")) return;
    CHECK(nests > 500);
    CHECK(joined > 50);
    CHECK(open > 50);
}
