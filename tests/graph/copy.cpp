#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/verify.hpp>
#include <graph_helper.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;
using tx::graph;
using tx::graph_copier;
using tx::node_id;
using tx::op;

namespace {

// x, y, x + y, exp(x) (dead), a list of four operands.
constexpr graph sample() {
    graph g;
    node_id const x = parameter(g, {2, 3}), y = parameter(g, {2, 3}), sum = append(g, op::add, {x, y});
    append(g, op::exp, {x});
    g.add_output(append(g, op::concatenate, {sum, sum, x, sum}, {0}));
    return g;
}

// The sample without dead nodes, and with 2 * x in the place of y.
constexpr graph with_twice_x() {
    graph const g = sample();
    graph out;
    node_id const x = parameter(out, {2, 3}), twice = append(out, op::multiply, {x, literal(out, 2)});
    graph_copier copier(g, out);
    copier.replace(node_id{1}, twice);
    copier.copy_needed(tx::needed_nodes(g, g.outputs()), [&](node_id id) { return copier[id]; });
    copier.add_outputs(g.outputs());
    return out;
}

} // namespace

TEST_CASE("needed_nodes: what the roots are made of, and they") {
    constexpr auto needed = [](bool ends_at_sum) {
        graph const g = sample();
        auto const follow = [&](node_id id, auto const& need) {
            for (std::size_t k = 0; k < g[id].arity && !(ends_at_sum && g[id].code == op::add); ++k) need(g.operand(g[id], k));
        };
        std::uint32_t all = 0, followed = 0;
        for (std::size_t i = 0; i < g.size(); ++i) {
            all |= static_cast<std::uint32_t>(tx::needed_nodes(g, g.outputs())[i]) << i;
            followed |= static_cast<std::uint32_t>(tx::needed_nodes(g, g.outputs(), follow)[i]) << i;
        }
        return ends_at_sum ? followed : all == followed ? all : 0;
    };
    static_assert(needed(false) == 0b10111 && needed(true) == 0b10101);
    CHECK(needed(false) == 0b10111);
    CHECK(needed(true) == 0b10101);
}

TEST_CASE("graph_copier: a node that was replaced is not copied, its users are") {
    static_assert(with_twice_x().size() == 5 && tx::verify(with_twice_x()) == nullptr);
    graph const g = with_twice_x();
    CHECK(g.size() == 5);
    CHECK(tx::verify(g) == nullptr);
    CHECK(g.view().parameters.size() == 1);
    CHECK(g[g.operand(g[node_id{3}], 1)].code == op::multiply);
}

TEST_CASE("graph_copier: shapes as they were, or as the operands here give them") {
    graph const g = sample();
    for (bool inferred : {false, true}) {
        graph out;
        graph_copier copier(g, out, inferred ? graph_copier::shapes::inferred : graph_copier::shapes::kept);
        copier.copy_all([&](node_id id) { return g[id].code == op::parameter ? parameter(out, {5, 3}) : node_id::none; });
        CHECK((out.shape_of(copier[g.outputs()[0]]) == extents({inferred ? 20 : 8, 3})));
        CHECK((tx::verify(out) == nullptr) == inferred);
    }
}

TEST_CASE("graph_copier: a mark equals no other node where it is copied to either") {
    graph g, out;
    node_id const x = parameter(g, {2});
    g.append_mark(x);
    node_id copied[2]{};
    for (node_id& mark : copied) {
        graph_copier copier(g, out, graph_copier::shapes::inferred);
        copier.copy_all([&](node_id id) { return id == x && out.size() ? node_id{0} : node_id::none; });
        mark = copier[node_id{1}];
    }
    CHECK(copied[0] != copied[1]);
}
