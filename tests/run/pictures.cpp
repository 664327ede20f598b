// This file tests pictures of what runs of a function.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>
#include <json_checker.hpp>
#include <xml_checker.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <tuple>

using tx::shape;
using tx::spec;
using tx::tensor;
using namespace tx::testing;

namespace {

struct bias_of {
    tensor<float, shape<3>> values_2;
};
struct layer {
    tensor<float, shape<2, 3>> weights;
    bias_of bias;
    constexpr auto operator()(auto const& x) const { return tx::matmul(x, weights) + bias.values_2; }
};
struct scaled {
    float by = 2;
    tensor<float, shape<3>> shift;
};
using names = std::vector<std::string>;

bool holds(std::string const& text, std::string const& part) { return text.find(part) != text.npos; }

} // namespace

TEST_CASE("pictures: parameters have the names of their fields") {
    auto const f = [](auto...) {};
    using callable = decltype(f);
    CHECK(tx::detail::parameter_names<callable>().empty());
    CHECK(tx::detail::parameter_names<callable, float, tensor<float>, layer>() ==
          names{"", "", "[2].weights", "[2].bias.values_2"});
    CHECK(tx::detail::parameter_names<callable, scaled>() == names{"[0].shift"}); // a number in a struct is none
    CHECK(tx::detail::parameter_names<callable, std::pair<layer, std::array<float, 2>>, std::tuple<tensor<float>>>() ==
          names{"[0][0].weights", "[0][0].bias.values_2", "[0][1][0]", "[0][1][1]", "[1][0]"});
    CHECK(tx::detail::parameter_names<layer, tensor<float, shape<1, 2>>>() ==
          names{"", "callable.weights", "callable.bias.values_2"});
    using bound = tx::detail::bound_callable<layer, tensor<float>, scaled>;
    CHECK(tx::detail::parameter_names<bound>() ==
          names{"bound[0]", "bound[1].shift", "callable.weights", "callable.bias.values_2"});
    CHECK(tx::detail::parameter_names<tx::detail::optioned_callable<tx::pass_options{}, layer>>() ==
          names{"callable.weights", "callable.bias.values_2"});
}

TEST_CASE("pictures: what shares a loop is a group") {
    tx::function f{[](layer const& l, auto x) { return tx::sum(tx::exp(l(x)), tx::axis<1>); }};
    auto const c = f.concrete<layer, spec<float, shape<64, 2>>>();
    std::string const dot = c.to_dot(), svg = c.to_svg(), html = c.to_html();
    CHECK(holds(dot, R"([label="arg0 [0].weights\nfloat32[2,3]", style=rounded];)"));
    CHECK(holds(dot, R"([label="arg1 [0].bias.values_2\nfloat32[3]", style=rounded];)"));
    CHECK(holds(dot, R"([label="arg2\nfloat32[64,2]", style=rounded];)"));
    CHECK(holds(dot, "subgraph cluster_0 { label=\"loop of "));
    CHECK(count_of(dot, "{") == count_of(dot, "}"));
    CHECK(is_xml(svg));
    CHECK(holds(svg, ">arg0 [0].weights</text>"));
    CHECK(holds(svg, "fill=\"hsl(0,60%,90%)\""));
    CHECK(is_xml(html));
    CHECK(holds(html, "<h1>((float32[2,3], (float32[3])), float32[64,2]) -&gt; float32[64]</h1>"));
    CHECK(holds(html, "after plan for vectors"));
    CHECK(c.to_svg() == svg);
    CHECK(c.graph().to_dot().find("cluster") == std::string::npos); // a graph alone has none
    CHECK(is_xml(c.graph().to_svg()));
    CHECK(is_xml(c.trace().to_html()));
}

TEST_CASE("pictures: in full") {
    tx::function f{[](auto x) { return tx::exp(x) + 1; }};
    CHECK(f.concrete<spec<float, shape<100'000>>>().to_dot() == R"(digraph {
  node [shape=box];
  n0 [label="arg0\nfloat32[100000]", style=rounded];
  n1 [label="exp\nfloat32[100000]"];
  n0 -> n1;
  n2 [label="literal(1)\nfloat32[]", style=rounded];
  n3 [label="add\nfloat32[100000]"];
  n1 -> n3 [label="0"];
  n2 -> n3 [label="1"];
  result0 [shape=plain];
  n3 -> result0;
  subgraph cluster_0 { label="loop of 100000, as open_row"; style=filled; fillcolor="#eef2f8"; n1; n3; }
}
)");
}

TEST_CASE("pictures: regions are pictures of their own") {
    tx::function f{
        [](auto x) { return tx::cond(tx::sum(x) > 0, [](auto y) { return tx::exp(y); }, [](auto y) { return -y; }, x); }};
    auto const c = f.concrete<spec<float, shape<4>>>();
    std::string const dot = c.to_dot(), html = c.to_html(), of_trace = c.trace().to_html();
    CHECK(holds(dot, "subgraph cluster_r0_ {\n    label=\"cond: branch 0\";\n"));
    CHECK(holds(dot, "  r1_result0 -> n"));
    CHECK(count_of(dot, "{") == count_of(dot, "}"));
    CHECK(count_of(html, "<svg") == 3);
    CHECK(holds(html, "<h2>cond: branch 1</h2>"));
    CHECK(count_of(of_trace, "<svg") == 3);
    CHECK(is_xml(html));
    CHECK(is_xml(of_trace));
    for (std::size_t at = html.find("<marker id=\""); at != html.npos; at = html.find("<marker id=\"", at + 1)) // unique
        CHECK(count_of(html, html.substr(at, html.find('"', at + 12) - at + 1)) == 1);
}

TEST_CASE("pictures: of traces made at run time, of open extents, of texts") {
    int const by = 3;
    tx::function f{[by](layer const& l, auto x) { return l(x) * by; }};
    auto const c = f.concrete<layer, spec<float, shape<5, 2>>>();
    CHECK(holds(c.to_dot(), "arg1 [0].bias.values_2"));
    CHECK(is_xml(c.to_svg()));
    CHECK(is_xml(c.to_html()));
    CHECK(
        is_xml(tx::function{[by](auto x) { return tx::exp(x) * by; }}.concrete<tensor<float>>().graph().to_svg())); // of any rank
    CHECK(is_xml(tx::graph_of<spec<float, shape<tx::dyn>>>([](auto x) { return tx::softmax(x); }).to_svg()));
    tx::function printing{[](auto x) {
        tx::print("<\"{}\" & 'more'>", x);
        return x;
    }};
    auto const p = printing.concrete<spec<float, shape<2>>>();
    CHECK(is_xml(p.to_svg()));
    CHECK(is_xml(p.graph().to_html()));
}
