#include <graph_helper.hpp>
#include <random_graph.hpp>
#include <tracexpr/graph/verify.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tx::testing;
using tx::dtype;
using tx::graph;
using tx::node_id;
using tx::op;

namespace {

// A clean graph's tables, to be damaged.
struct tables {
    std::vector<tx::node> nodes;
    std::vector<node_id> more_operands;
    std::vector<std::int64_t> attributes;
    std::vector<tx::dims> shapes;
    std::vector<std::uint64_t> blob;
    std::vector<tx::captured> captures;
    std::vector<node_id> parameters, outputs;
    std::vector<tx::region> regions;
    std::vector<tx::node> region_nodes;

    explicit tables(tx::graph_view const& g)
        : nodes{copy(g.nodes)}, more_operands{copy(g.more_operands)}, attributes{copy(g.attributes)}, shapes{copy(g.shapes)},
          blob{copy(g.blob)}, captures{copy(g.captures)}, parameters{copy(g.parameters)}, outputs{copy(g.outputs)},
          regions{copy(g.regions)}, region_nodes{copy(g.region_nodes)} {}
    template <class T> static std::vector<T> copy(tx::table_view<T> from) { return {from.begin(), from.end()}; }

    tx::graph_view view() const {
        return {nodes, more_operands, attributes, shapes, blob, captures, parameters, outputs, regions, region_nodes, {}, {}};
    }
    std::string problem() const {
        char const* const text = tx::verify(view());
        return text ? text : "clean";
    }
    tx::node& first(op code) {
        for (tx::node& n : nodes)
            if (n.code == code) return n;
        return nodes[0];
    }
};

constexpr graph sample() {
    graph g;
    node_id const x = parameter(g, {2, 3}), y = parameter(g, {3});
    node_id const sum = append(g, op::add, {x, y}), all = append(g, op::sum, {sum}, {0, 1});
    std::uint64_t const words[]{tx::to_literal(1.f).low, tx::to_literal(2.f).low};
    node_id const constant = g.append_constant(dtype::float32, extents({2}), words);
    node_id const joined = append(g, op::concatenate, {all, constant, all, constant}, {0});
    g.append_capture(dtype::float32, extents({2}), {});
    append(g, op::squeeze, {append(g, op::expand_dims, {joined}, {0, 2})}, {0, 2});
    append(g, op::broadcast_to, {y}, {2, -1});
    append(g, op::pad, {y, literal(g, 1)}, {1, 1});
    append(g, op::axis_size, {x}, {1}, dtype::int64);
    append(g, op::iota, {x}, {1}, dtype::int64);
    append(g, op::where, {append(g, op::less, {x, y}), x, y});
    g.add_output(joined);
    return g;
}

template <class Damage> std::string damaged(Damage damage) {
    tables t(sample());
    damage(t);
    return t.problem();
}

} // namespace

TEST_CASE("verify: a clean graph") {
    static_assert(tx::verify(sample()) == nullptr);
    CHECK(tx::verify(sample()) == nullptr);
    CHECK(tx::verify(graph{}) == nullptr);
    CHECK(tables(sample()).problem() == "clean");
}

TEST_CASE("verify: nodes and their operands") {
    CHECK(damaged([](tables& t) { t.first(op::add).operand[0] = node_id{2}; }) == "operands must stand before their user");
    CHECK(damaged([](tables& t) { t.first(op::add).operand[1] = node_id::none; }) == "operands must stand before their user");
    CHECK(damaged([](tables& t) { t.first(op::add).arity = 1; }) == "the op does not take that many operands");
    CHECK(damaged([](tables& t) { t.first(op::sum).arity = 2; }) == "the op does not take that many operands");
    CHECK(damaged([](tables& t) { t.more_operands[0] = node_id{40}; }) == "operands must stand before their user");
    CHECK(damaged([](tables& t) { t.more_operands.pop_back(); }) == "operands lie outside their table");
    CHECK(damaged([](tables& t) { t.more_operands.push_back(node_id{0}); }) ==
          "no two nodes may share a list of operands, and no listed operand may be unused");
}

TEST_CASE("verify: shapes and dtypes") {
    CHECK(damaged([](tables& t) { t.first(op::add).shape = t.first(op::sum).shape; }) == "the shape is not what the op gives");
    CHECK(damaged([](tables& t) { t.first(op::add).shape = 100; }) == "the shape's number is outside the table of shapes");
    CHECK(damaged([](tables& t) { t.first(op::add).type = dtype::float64; }) == "the dtype is not what the op gives");
    CHECK(damaged([](tables& t) { t.nodes[1].type = dtype::float64; }) == "operands must have one dtype");
    CHECK(damaged([](tables& t) { t.first(op::add).code = op::bitwise_and; }) == "the op does not take operands of this dtype");
    CHECK(damaged([](tables& t) { t.shapes[t.nodes[1].shape] = extents({4}); }) ==
          "shapes must broadcast: extents, aligned from the right, are equal or 1");
    CHECK(damaged([](tables& t) { t.first(op::less).type = dtype::float32; }) == "the dtype is not what the op gives");
    CHECK(damaged([](tables& t) { t.first(op::axis_size).shape = t.nodes[0].shape; }) == "axis_size must be a scalar");
    CHECK(damaged([](tables& t) { t.first(op::pad).operand[1] = node_id{1}; }) == "pad must be given a scalar to fill with");
    // An unknown extent is no contradiction.
    CHECK(damaged([](tables& t) {
              t.shapes.push_back(extents({tx::dyn, 3})), t.first(op::add).shape = static_cast<std::uint32_t>(t.shapes.size() - 1);
          }) == "clean");
}

TEST_CASE("verify: extents must follow from extents") {
    graph g;
    node_id const x = parameter(g, {2, 3}), count = append(g, op::axis_size, {x}, {}, dtype::int64);
    node_id const twice[]{append(g, op::add, {count, count})}, largest[]{append(g, op::argmax, {x}, {0, 0, 1})};
    std::int64_t const codes[]{-1, 4};
    g.append(op::extents, dtype::boolean, extents({tx::dyn, 4}), twice, codes);
    CHECK(tx::verify(g) == nullptr);
    g.append(op::extents, dtype::boolean, extents({tx::dyn, 4}), largest, codes);
    CHECK(std::string(tx::verify(g)) == "extents must be numbers that follow from extents");
    CHECK(tx::first_problem(g).at == tx::to_id(g.size() - 1));
}

TEST_CASE("verify: orders") {
    auto const problem = [](op code, std::initializer_list<std::int64_t> attributes) {
        graph g;
        append(g, code, {parameter(g, {2, 3})}, attributes, code == op::argsort ? dtype::int64 : dtype::float64);
        char const* const found = tx::verify(g);
        return std::string(found ? found : "clean");
    };
    CHECK(problem(op::sort, {1, 1}) == "clean");
    CHECK(problem(op::argsort, {0, 0, 2}) == "clean");
    CHECK(problem(op::sort, {1, 2}) == "an order must be 0 or 1");
    CHECK(problem(op::argsort, {1, 0, -2}) == "a number of elements must not be negative");
    CHECK(problem(op::sort, {1, 0, 2}) == "clean");
    CHECK(problem(op::argsort, {1, 0, -1, 2}) == "clean");
    CHECK(problem(op::sort, {1, 1, 2}) == "an order around an element must ascend, and have all elements");
    CHECK(problem(op::argsort, {1, 0, 3, 2}) == "an order around an element must ascend, and have all elements");
    CHECK(problem(op::sort, {1}) == "the op does not have that many attributes");
}

TEST_CASE("verify: attributes") {
    CHECK(damaged([](tables& t) { t.first(op::sum).attributes.count = 0; }) == "the op does not have that many attributes");
    CHECK(damaged([](tables& t) { t.first(op::sum).attributes.first = 1000; }) == "attributes lie outside their table");
    CHECK(damaged([](tables& t) { t.attributes[t.first(op::sum).attributes.first] = 2; }) == "keepdims must be 0 or 1");
    CHECK(damaged([](tables& t) { t.attributes[t.first(op::sum).attributes.first + 1] = 2; }) == "axes must lie within the rank");
    CHECK(damaged([](tables& t) { t.attributes[t.first(op::squeeze).attributes.first] = 2; }) == "axes must ascend");
    CHECK(damaged([](tables& t) { t.attributes[t.first(op::broadcast_to).attributes.first] = -2; }) ==
          "an extent must be -1 or more");
    CHECK(damaged([](tables& t) { t.attributes[t.first(op::axis_size).attributes.first] = 2; }) ==
          "axes must lie within the rank");
    CHECK(damaged([](tables& t) { t.first(op::add).attributes = {0, 1}; }) == "the op does not have that many attributes");
    CHECK(damaged([](tables& t) { t.attributes.push_back(0); }) ==
          "no two nodes may share attributes, and no attribute may be unused");
}

TEST_CASE("verify: the form of a triangle") {
    for (std::int64_t const lower : {1, 2}) {
        graph g;
        node_id const x = g.append_parameter(dtype::float32, extents({2, 2})), both[]{x, x};
        std::int64_t const form[]{lower, 0, 0};
        g.add_output(g.append(op::solve_triangular, dtype::float32, extents({2, 2}), both, form));
        char const* const problem = tx::verify(g);
        CHECK(std::string(problem ? problem : "clean") == (lower == 1 ? "clean" : "a form must be 0 or 1"));
    }
}

TEST_CASE("verify: leaves") {
    CHECK(damaged([](tables& t) { t.first(op::constant).bits[1] = 3; }) ==
          "a constant's elements must be in the blob, as many words each as their dtype has");
    CHECK(damaged([](tables& t) { t.blob.pop_back(); }) ==
          "a constant's elements must be in the blob, as many words each as their dtype has");
    CHECK(damaged([](tables& t) { t.blob.push_back(0); }) == "every word must be a constant's");
    CHECK(damaged([](tables& t) { t.first(op::capture).bits[0] = 1; }) == "the capture is outside its table");
    CHECK(damaged([](tables& t) { t.first(op::parameter).bits[0] = 1; }) == "the list of parameters does not name it");
    CHECK(damaged([](tables& t) { t.parameters.push_back(node_id{2}); }) ==
          "the list of parameters must name parameters, each at its number");
    CHECK(damaged([](tables& t) { t.parameters.push_back(node_id::none); }) == "clean"); // one that nothing uses
    CHECK(damaged([](tables& t) { t.outputs.push_back(node_id{100}); }) == "an output must be a node of the graph");
    CHECK(damaged([](tables& t) { t.outputs.push_back(node_id::none); }) == "an output must be a node of the graph");
    CHECK(damaged([](tables& t) { t.shapes[t.first(op::literal).shape] = extents({tx::dyn}); }) != "clean");

    graph g;
    std::int64_t const along[]{0};
    g.append(op::iota, dtype::int32, extents({tx::dyn}), {}, along);
    CHECK(std::string(tx::verify(g)) == "iota must have an operand, or extents that are known");
}

TEST_CASE("verify: says where") {
    tables t(sample());
    t.nodes[2].type = dtype::float64;
    tx::finding const found =
        tx::first_problem(t.view());
    CHECK(found.at == node_id{2});
    CHECK(std::string(found.problem) == "the dtype is not what the op gives");
    CHECK(tx::first_problem(sample()).problem == nullptr);
}

TEST_CASE("verify: a thousand nodes in the compiler") {
    static_assert([] {
        graph g;
        node_id last = parameter(g, {4, 4});
        for (int i = 0; i < 250; ++i) {
            last = append(g, op::add, {last, append(g, op::exp, {last})});
            last = append(g, op::transpose, {append(g, op::matmul, {last, last})}, {1, 0});
        }
        g.add_output(last);
        return g.size() == 1001 && tx::verify(g) == nullptr;
    }());
}

TEST_CASE("verify: random graphs are clean") {
    for (std::uint64_t seed = 1000; seed < 3000; ++seed) {
        CAPTURE(seed);
        graph const g = tx::random_graph(seed);
        CHECK(tx::verify(g) == nullptr);
        CHECK(tx::verify(tx::with_unknown_extents(g, seed)) == nullptr);
    }
}

TEST_CASE("verify: a placeholder may stay where nothing needs it") {
    graph g;
    node_id const one = g.append_placeholder(dtype::float32, extents({2})), twice = append(g, op::add, {one, one});
    g.add_output(parameter(g, {2}));
    CHECK(tx::verify(g) == nullptr);
    g.add_output(twice);
    CHECK(std::string(tx::verify(g)) == "no output may need a placeholder");
    CHECK(tx::first_problem(g).at == one);
}
