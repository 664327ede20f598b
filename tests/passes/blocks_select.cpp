// This file tests the selection of elements by rank in each row of a value that is too large to be stored: rows are computed in
// blocks, with the ranks whole.
#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/passes/pipeline.hpp>
#include <graph_helper.hpp>
#include <random_compare.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace tx::testing;

namespace {

// The differences of all pairs of `rows` numbers and 30 others, and of each row the elements of as many ranks.
tx::graph of_differences(std::int64_t rows, std::int64_t ranks) {
    tx::graph g;
    tx::node_id const a = parameter(g, {rows}), b = parameter(g, {30}), all = parameter(g, {ranks}, tx::dtype::int64);
    tx::node_id const x = append(g, tx::op::subtract, {append(g, tx::op::expand_dims, {a}, {1}), b});
    tx::node_id const places = append(g, tx::op::argselect, {x, all}, {1});
    g.add_output(append(g, tx::op::take_along_axis, {x, places}, {1}));
    return g;
}

} // namespace

TEST_CASE("blocks: ranks for all rows are no part of a block, whether or not there are as many") {
    std::vector<float> a(40), b(30);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 17 % 23);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 13 % 29) / 2;
    std::vector<std::int64_t> ranks(40);
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int64_t>(i % 30);
    for (std::int64_t const count : {3, 40}) {
        tx::graph const g = of_differences(40, count);
        std::vector<tx::dims> const shapes{extents({40}), extents({30}), extents({count})};
        std::vector<tx::array_view> const arguments{{a.data(), tx::dtype::float32, shapes[0]},
                                                    {b.data(), tx::dtype::float32, shapes[1]},
                                                    {ranks.data(), tx::dtype::int64, shapes[2]}};
        tx::plan_target target = tx::this_processor;
        target.cached_bytes = target.block_bytes = 64;
        tx::compiled_graph const made = tx::run_passes(g.view(), {}, shapes, target);
        INFO(tx::to_text(made.simplified));
        CHECK(problem_of(made.simplified) == "");
        CHECK(std::any_of(made.simplified.view().begin(), made.simplified.view().end(),
                          [](tx::node const& n) { return n.code == tx::op::blocks; }));
        CHECK(difference(tx::run_reference(made.simplified, arguments), tx::run_reference(g, arguments)) == "");
    }
}
