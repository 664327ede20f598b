#include <graph_helper.hpp>
#include <json_checker.hpp>
#include <random_graph.hpp>
#include <tracexpr/graph/drawing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <string_view>

using namespace tx::testing;
using tx::dtype;
using tx::graph;
using tx::node_id;
using tx::op;
using tx::to_text;

namespace {

graph sample() {
    graph g;
    node_id const x = parameter(g, {tx::dyn, 3}), y = parameter(g, {3});
    node_id const product = append(g, op::multiply, {append(g, op::add, {x, y}), literal(g, 2.5f)});
    append(g, op::exp, {product}); // dead
    node_id const sum = append(g, op::sum, {product}, {0, 1});
    g.add_output(append(g, op::slice, {product}, {tx::slice_open, tx::slice_open, -1, 0, 2, 1}));
    g.add_output(sum);
    return g;
}
template <class T> std::string text_of(T value) {
    graph g;
    g.add_output(g.append(op::literal, tx::dtype_of<T>, tx::dims{}, {}, {}, tx::to_literal(value)));
    std::string const text = to_text(g);
    std::size_t const first = text.find('(') + 1;
    return text.substr(first, text.find(')') - first);
}
// The attributes in the last node's line.
std::string attributes_of(op code, std::initializer_list<std::int64_t> shape, std::initializer_list<std::int64_t> attributes) {
    graph g;
    g.add_output(append(g, code, {parameter(g, shape)}, attributes));
    std::string const text = to_text(g);
    std::size_t const first = text.find('{');
    return first == std::string::npos ? "" : text.substr(first, text.find('}') - first + 1);
}

} // namespace

TEST_CASE("print: text") {
    CHECK(to_text(sample()) == R"(%0 = arg0 : float32[?,3]
%1 = arg1 : float32[3]
%2 = add(%0, %1) : float32[?,3]
%3 = literal(2.5) : float32[]
%4 = multiply(%2, %3) : float32[?,3]
%5 = slice(%4) {[::-1, 0:2]} : float32[?,2]
%6 = sum(%4) {axes=[1], keepdims=0} : float32[?]
return %5, %6
)");
    CHECK(to_text(graph{}) == "return \n");
}

TEST_CASE("print: the order of recording does not show") {
    graph a, b;
    node_id const x = parameter(a, {2});
    node_id const sine = append(a, op::sin, {x}), cosine = append(a, op::cos, {x});
    a.add_output(append(a, op::add, {sine, cosine}));
    node_id const y = parameter(b, {2});
    node_id const cosine_first = append(b, op::cos, {y}), sine_second = append(b, op::sin, {y});
    b.add_output(append(b, op::add, {sine_second, cosine_first}));
    CHECK(to_text(a) == to_text(b));
    CHECK(tx::to_json(a) == tx::to_json(b));
    CHECK(tx::to_dot(a) == tx::to_dot(b));
}

TEST_CASE("print: shapes") {
    CHECK(tx::spec_text(dtype::float32, extents({})) == "float32[]");
    CHECK(tx::spec_text(dtype::boolean, extents({0, tx::dyn})) == "bool[0,?]");
    CHECK(tx::spec_text(dtype::complex64, tx::dims{{}, tx::dims::unknown_rank}) == "complex64[...]");
}

TEST_CASE("print: literals, with the fewest digits that read back") {
    CHECK(text_of(0.1f) == "0.1");
    CHECK(text_of(0.1) == "0.1");
    CHECK(text_of(1.0f / 3) == "0.33333334");
    CHECK(text_of(1.0 / 3) == "0.3333333333333333");
    CHECK(text_of(-0.0) == "-0");
    CHECK(text_of(1e300) == "1e+300");
    CHECK(text_of(std::numeric_limits<float>::infinity()) == "inf");
    CHECK(text_of(-std::numeric_limits<double>::infinity()) == "-inf");
    CHECK(text_of(std::nan("")) == "nan");
    CHECK(text_of(tx::half(0.1f)) == "0.1");
    CHECK(text_of(tx::half(65504.f)) == "65500"); // as NumPy
    CHECK(text_of(tx::bfloat16(3.14159f)) == "3.14");
    CHECK(text_of(std::int8_t{-7}) == "-7");
    CHECK(text_of(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(text_of(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(text_of(true) == "true");
    CHECK(text_of(std::complex<float>(1, -2.5f)) == "1-2.5j");
    CHECK(text_of(std::complex<double>(0.5, 1)) == "0.5+1j");
}

TEST_CASE("print: constants") {
    std::uint64_t words[10];
    for (std::size_t i = 0; i < 10; ++i) words[i] = tx::to_literal(static_cast<float>(i) / 4).low;
    graph g;
    g.add_output(g.append_constant(dtype::float32, extents({2, 2}), {words, 4}));
    g.add_output(g.append_constant(dtype::float32, extents({10}), words));
    g.add_output(g.append_constant(dtype::complex64, extents({2}), {words, 4}));
    g.add_output(g.append_constant(dtype::float32, extents({0}), {}));
    CHECK(to_text(g) == R"(%0 = constant([0, 0.25, 0.5, 0.75]) : float32[2,2]
%1 = constant([0, 0.25, 0.5, ..., 1.75, 2, 2.25]) : float32[10]
%2 = constant([0+0.25j, 0.5+0.75j]) : complex64[2]
%3 = constant([]) : float32[0]
return %0, %1, %2, %3
)");
    CHECK(is_json(tx::to_json(g)));
    CHECK(tx::to_json(g).find("\"value\": [[0, 0.25], [0.5, 0.75]]") != std::string::npos);
}

TEST_CASE("print: attributes") {
    CHECK(attributes_of(op::exp, {2}, {}) == "");
    CHECK(attributes_of(op::sum, {2, 3}, {1, 0, 1}) == "{axes=[0, 1], keepdims=1}");
    CHECK(attributes_of(op::argmax, {2, 3}, {0, 1}) == "{axes=[1], keepdims=0}");
    CHECK(attributes_of(op::cumsum, {2, 3}, {1}) == "{axis=1}");
    CHECK(attributes_of(op::sort, {2, 3}, {1, 0}) == "{axis=1, descending=0}");
    CHECK(attributes_of(op::argsort, {2, 3}, {0, 1, 2}) == "{axis=0, descending=1, count=2}");
    CHECK(attributes_of(op::sort, {2, 3}, {1, 0, 2}) == "{axis=1, descending=0, around=2}");
    CHECK(attributes_of(op::argsort, {2, 3}, {0, 0, -1, 1}) == "{axis=0, descending=0, around=1}");
    CHECK(attributes_of(op::reshape, {2, 3}, {-2, -1}) == "{shape=[-2, -1]}");
    CHECK(attributes_of(op::transpose, {2, 3}, {1, 0}) == "{permutation=[1, 0]}");
    CHECK(attributes_of(op::broadcast_to, {3}, {2, -1}) == "{shape=[2, -1]}");
    CHECK(attributes_of(op::expand_dims, {3}, {1}) == "{axes=[1]}");
    CHECK(attributes_of(op::squeeze, {3, 1}, {1}) == "{axes=[1]}");
    CHECK(attributes_of(op::slice, {9}, {1, -1, 2}) == "{[1:-1:2]}");
    CHECK(attributes_of(op::slice, {9, 2}, {tx::slice_open, 3, 1, tx::slice_open, tx::slice_open, 1}) == "{[:3, :]}");
    CHECK(attributes_of(op::diagonal, {3, 3}, {-1, 0, 1}) == "{offset=-1, axes=[0, 1]}");
    CHECK(attributes_of(op::sliding_window_view, {3, 3}, {0, 2}) == "{axes_and_sizes=[0, 2]}");
    CHECK(attributes_of(op::iota, {3, 3}, {1}) == "{axis=1}");
    CHECK(attributes_of(op::axis_size, {3, 3}, {0}) == "{axes=[0]}");
    CHECK(attributes_of(op::extents, {}, {-1, 4}) == "{shape=[-1, 4]}");

    graph g;
    node_id const x = parameter(g, {2, 3});
    g.add_output(append(g, op::pad, {x, literal(g, 0)}, {1, 2, 3, 4}));
    CHECK(to_text(g).find("pad(%0, %1) {before=[1, 3], after=[2, 4]}") != std::string::npos);

    auto const number = [](op view) { return static_cast<std::int64_t>(view); };
    graph adding;
    node_id const y = parameter(adding, {2, 3}), vector = parameter(adding, {2});
    node_id const first = append(adding, op::view_add, {y, vector}, {number(op::diagonal), 1, 0, 1});
    adding.add_output(append(adding, op::view_add, {first, y}, {number(op::slice), tx::slice_open, 2, 1, tx::slice_open, tx::slice_open, 1}));
    CHECK(to_text(adding).find("view_add(%0, %1) diagonal {offset=1, axes=[0, 1]}") != std::string::npos);
    CHECK(to_text(adding).find("view_add(%2, %0) slice {[:2, :]}") != std::string::npos);
    CHECK(is_json(tx::to_json(adding)));
    CHECK(tx::to_json(adding).find(R"("attributes": {"view": "diagonal", "offset": 1, "axes": [0, 1]})") != std::string::npos);
}

TEST_CASE("print: DOT") {
    graph g;
    node_id const x = parameter(g, {2, 3});
    g.add_output(append(g, op::sum, {append(g, op::add, {x, literal(g, 1)})}, {0, 1}));
    CHECK(tx::to_dot(g) == R"(digraph {
  node [shape=box];
  n0 [label="arg0\nfloat32[2,3]", style=rounded];
  n1 [label="literal(1)\nfloat32[]", style=rounded];
  n2 [label="add\nfloat32[2,3]"];
  n0 -> n2 [label="0"];
  n1 -> n2 [label="1"];
  n3 [label="sum {axes=[1], keepdims=0}\nfloat32[2]"];
  n2 -> n3;
  result0 [shape=plain];
  n3 -> result0;
}
)");
}

TEST_CASE("print: JSON") {
    CHECK(tx::to_json(sample()) == R"({"nodes": [
  {"id": 0, "op": "parameter", "dtype": "float32", "shape": [null, 3], "operands": [], "attributes": {}, "number": 0},
  {"id": 1, "op": "parameter", "dtype": "float32", "shape": [3], "operands": [], "attributes": {}, "number": 1},
  {"id": 2, "op": "add", "dtype": "float32", "shape": [null, 3], "operands": [0, 1], "attributes": {}},
  {"id": 3, "op": "literal", "dtype": "float32", "shape": [], "operands": [], "attributes": {}, "value": 2.5},
  {"id": 4, "op": "multiply", "dtype": "float32", "shape": [null, 3], "operands": [2, 3], "attributes": {}},
  {"id": 5, "op": "slice", "dtype": "float32", "shape": [null, 2], "operands": [4], "attributes": {"start": [null, 0], "stop": [null, 2], "step": [-1, 1]}},
  {"id": 6, "op": "sum", "dtype": "float32", "shape": [null], "operands": [4], "attributes": {"axes": [1], "keepdims": 0}}
], "parameters": [0, 1], "outputs": [5, 6]}
)");
    CHECK(is_json(tx::to_json(sample())));
    CHECK(is_json(tx::to_json(graph{})));

    graph g; // what JSON has no numbers for; a shape that is not known at all
    g.append_parameter(dtype::int8, tx::dims{{}, tx::dims::unknown_rank});
    g.add_output(literal(g, std::numeric_limits<float>::infinity()));
    g.add_output(
        g.append(op::literal, dtype::complex128, tx::dims{}, {}, {}, tx::to_literal(std::complex<double>(-0.0, std::nan("")))));
    std::string const json = tx::to_json(g);
    CHECK(is_json(json));
    CHECK(json.find("\"shape\": null") != std::string::npos);
    CHECK(json.find("\"value\": \"inf\"") != std::string::npos);
    CHECK(json.find("\"value\": [-0, \"nan\"]") != std::string::npos);
}

TEST_CASE("print: the JSON checker refuses what is not JSON") {
    for (std::string_view text : {"", "{", "[1,]", "{\"a\" 1}", "[1 2]", "\"a", "01", "1.", "nan", "[1] 2", "{a: 1}"}) {
        CAPTURE(std::string(text));
        CHECK_FALSE(is_json(text));
    }
}

TEST_CASE("print: random graphs") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        graph const g = tx::random_graph(seed), ordered = tx::canonicalize(g);
        CHECK(is_json(tx::to_json(g)));
        CHECK(to_text(g) == to_text(ordered));
        std::string const text = to_text(g), dot = tx::to_dot(g);
        std::size_t lines = ordered.size() + 1;
        for (tx::node const& n : ordered.view()) // two branches, of a line for each node and two around them
            for (std::int64_t const number : n.code == tx::op::cond ? ordered.attributes_of(n) : tx::attribute_span{})
                lines += ordered.view().region(number).size() + 2;
        CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == lines);
        CHECK(std::count(dot.begin(), dot.end(), '"') % 2 == 0);
        CHECK(std::count(dot.begin(), dot.end(), '[') == std::count(dot.begin(), dot.end(), ']'));
    }
}
