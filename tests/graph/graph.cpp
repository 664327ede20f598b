#include <graph_helper.hpp>
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/graph/graph.hpp>
#include <tracexpr/graph/verify.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tx::testing;
using tx::dtype;
using tx::graph;
using tx::node_id;
using tx::op;

namespace {

// sum((x + y) * 2, axis 0), recorded in one of two orders, with a dead node.
constexpr graph some_sum(bool literal_first) {
    graph g;
    node_id two{};
    if (literal_first) two = literal(g, 2);
    node_id const x = parameter(g, {2, 3}), y = parameter(g, {3});
    append(g, op::exp, {x});
    node_id const z = append(g, op::add, {x, y});
    if (!literal_first) two = literal(g, 2);
    g.add_output(append(g, op::sum, {append(g, op::multiply, {z, two})}, {0, 0}));
    return g;
}

} // namespace

TEST_CASE("graph: equal nodes are one node") {
    constexpr auto counts = [] {
        graph g;
        node_id const x = parameter(g, {2}), y = parameter(g, {2});
        node_id const a = append(g, op::add, {x, y}), same = append(g, op::add, {x, y}), turned = append(g, op::add, {y, x});
        bool const literals =
            literal(g, 2) == literal(g, 2) && literal(g, 2) != literal(g, 3) && literal(g, 0.f) != literal(g, -0.f);
        bool const sums = append(g, op::sum, {a}, {0, 0}) == append(g, op::sum, {a}, {0, 0}) &&
                          append(g, op::sum, {a}, {0, 0}) != append(g, op::sum, {a}, {1, 0});
        return x != y && a == same && a != turned && literals && sums && g.size() == 10;
    }();
    static_assert(counts);
}

TEST_CASE("graph: dtype, shape, operands and attributes of a node") {
    graph g = some_sum(false);
    node_id const out = g.outputs()[0];
    CHECK(g[out].code == op::sum);
    CHECK(g[out].type == dtype::float32);
    CHECK(g.shape_of(out) == extents({3}));
    CHECK(g.attributes_of(g[out]).size() == 2);
    node_id const product = g.operand(g[out], 0);
    CHECK(g[product].code == op::multiply);
    CHECK(g[g.operand(g[product], 1)].code == op::literal);
    CHECK(tx::from_literal<float>(g[g.operand(g[product], 1)].bits[0], 0) == 2);
}

TEST_CASE("graph: more than three operands") {
    graph g;
    node_id const x = parameter(g, {2}), y = parameter(g, {1});
    node_id const all = append(g, op::concatenate, {x, y, x, y, y}, {0});
    CHECK(all == append(g, op::concatenate, {x, y, x, y, y}, {0}));
    CHECK(all != append(g, op::concatenate, {x, y, x, y, x}, {0}));
    CHECK(g.shape_of(all) == extents({7}));
    CHECK(g[all].arity == 5);
    CHECK(g.operand(g[all], 2) == x);
    CHECK(g.operand(g[all], 4) == y);
    CHECK(tx::verify(g) == nullptr);
}

TEST_CASE("graph: hundreds of nodes, each found again") {
    graph g;
    node_id const x = parameter(g, {4});
    node_id last = x;
    for (int i = 0; i < 500; ++i) last = append(g, op::add, {last, literal(g, static_cast<float>(i))});
    std::size_t const size = g.size();
    CHECK(size == 1001);
    last = x;
    for (int i = 0; i < 500; ++i) last = append(g, op::add, {last, literal(g, static_cast<float>(i))});
    CHECK(g.size() == size);
    g.add_output(last);
    CHECK(tx::canonicalize(g).size() == size);
    CHECK(tx::verify(g) == nullptr);
}

TEST_CASE("graph: constants and captures") {
    static float const numbers[2]{1, 2};
    tx::captured const capture{numbers, [](void const* data) { return data; }, [](void const*) { return extents({2}); }};
    graph g;
    std::uint64_t const words[]{tx::to_literal(1.f).low, tx::to_literal(2.f).low};
    node_id const constant = g.append_constant(dtype::float32, extents({2}), words);
    node_id const first = g.append_capture(dtype::float32, extents({2}), capture),
                  again = g.append_capture(dtype::float32, extents({2}), capture);
    CHECK(first == again);
    CHECK(g.view().captures.size() == 1);
    g.add_output(append(g, op::add, {constant, first}));

    graph const copy = tx::canonicalize(g);
    CHECK(tx::verify(copy) == nullptr);
    CHECK(copy.view().blob.size() == 2);
    CHECK(copy.view().captures[0].address == numbers);
    CHECK(tx::same_graph(copy, tx::canonicalize(copy)));
}

TEST_CASE("canonicalize: the order of recording does not matter") {
    static_assert(tx::same_graph(tx::canonicalize(some_sum(false)), tx::canonicalize(some_sum(true))));
    CHECK(tx::same_graph(tx::canonicalize(some_sum(false)), tx::canonicalize(some_sum(true))));
    CHECK_FALSE(tx::same_graph(some_sum(false), some_sum(true)));
}

TEST_CASE("canonicalize: parameters stay, dead nodes go, and doing it twice is doing it once") {
    graph g = some_sum(true);
    parameter(g, {7}); // unused
    graph const once = tx::canonicalize(g);
    CHECK(once.view().parameters.size() == 3);
    CHECK(once.size() == 7); // three parameters, add, 2, multiply, sum
    CHECK(once.view().parameters[0] == node_id{0});
    CHECK(once[once.view().parameters[2]].code == op::parameter);
    CHECK(tx::same_graph(tx::canonicalize(once), once));
    CHECK(tx::verify(once) == nullptr);
}

TEST_CASE("canonicalize: outputs keep their order, also when one is an operand of another") {
    graph g;
    node_id const x = parameter(g, {2});
    node_id const y = append(g, op::exp, {x});
    g.add_output(append(g, op::negative, {y}));
    g.add_output(y);
    g.add_output(x);
    g.add_output(y);
    graph const ordered = tx::canonicalize(g);
    auto const outputs = ordered.outputs();
    CHECK(outputs.size() == 4);
    CHECK(ordered[outputs[0]].code == op::negative);
    CHECK(ordered[outputs[1]].code == op::exp);
    CHECK(outputs[2] == ordered.view().parameters[0]);
    CHECK(outputs[3] == outputs[1]);
}

TEST_CASE("same_graph: tells shapes, dtypes, attributes and values apart") {
    auto const make = [](dtype type, std::int64_t extent, std::int64_t keepdims, float value) {
        graph g;
        node_id const x = parameter(g, {extent, 2}, type);
        g.add_output(append(g, op::sum, {x}, {keepdims, 1}));
        g.add_output(literal(g, value));
        std::uint64_t const word[]{tx::to_literal(value).low};
        g.add_output(g.append_constant(dtype::float32, extents({1}), word));
        return g;
    };
    CHECK(tx::same_graph(make(dtype::float32, 3, 0, 1), make(dtype::float32, 3, 0, 1)));
    CHECK_FALSE(tx::same_graph(make(dtype::float32, 3, 0, 1), make(dtype::float64, 3, 0, 1)));
    CHECK_FALSE(tx::same_graph(make(dtype::float32, 3, 0, 1), make(dtype::float32, 4, 0, 1)));
    CHECK_FALSE(tx::same_graph(make(dtype::float32, 3, 0, 1), make(dtype::float32, 3, 1, 1)));
    CHECK_FALSE(tx::same_graph(make(dtype::float32, 3, 0, 1), make(dtype::float32, 3, 0, 2)));
}
