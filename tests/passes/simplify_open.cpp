// This file tests simplify where an extent is unknown and turns out to be 1, or 0: an operand that is one value everywhere may
// still give the result its shape.
#include <graph_helper.hpp>
#include <random_compare.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/passes/simplify.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

using namespace tx::testing;
using tx::dtype;
using tx::node_id;
using tx::op;

namespace {

tx::host_array numbers(dtype type, std::int64_t extent) {
    tx::reference::values v(type, {{extent}, 1});
    for (std::int64_t i = 0; i < extent; ++i) v[i] = tx::reference::cast(tx::to_literal(static_cast<double>(2 * i + 1)), dtype::float64, type);
    tx::host_array out{type, v.shape, std::vector<std::byte>(v.cells.size() * tx::size_in_bytes(type))};
    tx::reference::store(v, out.bytes.data());
    return out;
}

// The same outputs for every way in which two unknown extents broadcast.
void check(tx::graph_view const& g, dtype type) {
    REQUIRE(problem_of(g) == "");
    for (bool fast : {false, true}) {
        tx::pass_options options;
        options.fast_math = fast;
        tx::graph const simple = tx::simplify(g, options);
        std::string const text = tx::to_text(g) + "\n" + tx::to_text(simple);
        CAPTURE(text);
        CHECK(problem_of(simple) == "");
        CHECK(tx::to_text(simple) == tx::to_text(tx::simplify(simple, options)));
        for (auto const& [m, n] : {std::pair{3, 1}, std::pair{1, 3}, std::pair{3, 3}, std::pair{1, 1}, std::pair{0, 1}, std::pair{1, 0}}) {
            tx::host_array const x = numbers(type, m), y = numbers(type, n);
            std::vector<tx::array_view> const arguments{x.view(), y.view()};
            CHECK(difference(tx::run_reference(simple, arguments), tx::run_reference(g, arguments)) == "");
        }
    }
}

// `value` in the shape of the second parameter.
node_id spread(tx::graph& g, node_id like, dtype type, double value) {
    node_id const literal = g.append(op::literal, type, tx::dims{}, {}, {}, tx::cast_literal(tx::to_literal(value), dtype::float64, type));
    return append(g, op::broadcast_to, {literal, like});
}

void check_binary(op code, dtype type, double value, bool first) {
    tx::graph g;
    node_id const x = parameter(g, {tx::dyn}, type), y = parameter(g, {tx::dyn}, type), c = spread(g, y, type, value);
    node_id const once = first ? append(g, code, {c, x}) : append(g, code, {x, c});
    g.add_output(once);
    if (g[once].type == type) g.add_output(append(g, code, {once, spread(g, once, type, 2)}));
    check(g, type);
}

} // namespace

TEST_CASE("simplify: a value that is the same everywhere keeps the extents it brings") {
    for (tx::op_info const& row : tx::op_table) {
        if (row.kind != tx::kind::pointwise || row.arity != 2) continue;
        CAPTURE(row.name);
        for (dtype type : {dtype::boolean, dtype::int32, dtype::uint8, dtype::float32}) {
            if (!tx::accepts(row.domain, type)) continue;
            for (double value : {-1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 0.5})
                for (bool first : {false, true}) {
                    bool const divides = row.code == op::floor_divide || row.code == op::remainder || row.code == op::fmod;
                    if (divides && tx::is_integer(type) && !first && value > -1 && value < 1) continue;
                    check_binary(row.code, type, value, first);
                }
        }
    }
}
TEST_CASE("simplify: a choice keeps the extents of all its operands") {
    for (double yes : {0.0, 1.0})
        for (dtype type : {dtype::boolean, dtype::float32}) {
            tx::graph g;
            node_id const x = parameter(g, {tx::dyn}, type), y = parameter(g, {tx::dyn}, type);
            node_id const condition = append(g, op::isfinite, {x});
            node_id const other = type == dtype::boolean ? append(g, op::equal, {x, x}) : append(g, op::equal, {x, append(g, op::negative, {x})});
            node_id const a = spread(g, y, type, yes), b = spread(g, y, type, 1 - yes);
            for (node_id c : {condition, other, spread(g, y, dtype::boolean, yes)}) {
                g.add_output(append(g, op::where, {c, a, b}));
                g.add_output(append(g, op::where, {c, x, x}));
                g.add_output(append(g, op::where, {c, a, x}));
            }
            check(g, type);
        }
}
TEST_CASE("simplify: reshape copies an extent of 0, which a literal 0 would not do beside an open one") {
    tx::graph g;
    node_id const x = parameter(g, {0, tx::dyn, 1}), y = parameter(g, {tx::dyn, 3});
    g.add_output(append(g, op::reshape, {x}, {-2, -1}));
    g.add_output(append(g, op::reshape, {y}, {-1, -3}));
    g.add_output(append(g, op::reshape, {append(g, op::slice, {y}, {0, 0, 1, tx::slice_open, tx::slice_open, 1})}, {-2, -1}));
    tx::graph const simple = tx::simplify(g);
    INFO(tx::to_text(simple));
    CHECK(problem_of(simple) == "");
    for (std::int64_t n : {0, 1, 4}) {
        std::vector<float> const elements(12);
        std::vector<tx::array_view> const arguments{{elements.data(), dtype::float32, {{0, n, 1}, 3}}, {elements.data(), dtype::float32, {{n, 3}, 2}}};
        auto const got = tx::run_reference(simple, arguments);
        CHECK(got[0].shape == tx::dims{{0, n}, 2});
        CHECK(got[1].shape == tx::dims{{n, 3}, 2});
        CHECK(got[2].shape == tx::dims{{0, 3}, 2});
    }
}
TEST_CASE("simplify: random graphs in which extents of 0 or 1 were unknown") {
    for (std::uint64_t seed : {22292u, 48691u, 56077u}) {
        CAPTURE(seed);
        tx::graph const g = tx::random_graph(seed);
        auto const arguments = tx::random_arguments(g, seed);
        auto const views = tx::views_of(arguments);
        CHECK(difference(tx::run_reference(tx::simplify(tx::with_unknown_extents(g, seed)), views), tx::run_reference(g, views)) == "");
    }
}
