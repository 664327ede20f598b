// This file tests pictures of graphs: where nodes are placed, and that the output is XML.
#include <tracexpr/base/xml.hpp>
#include <tracexpr/graph/layout.hpp>
#include <tracexpr/graph/svg.hpp>
#include <graph_helper.hpp>
#include <random_graph.hpp>
#include <xml_checker.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace tx::testing;
using tx::graph;
using tx::node_id;
using tx::op;

namespace {

std::vector<double> equal_widths(tx::detail::drawing const& d) { return std::vector<double>(d.nodes.size(), 10); }

} // namespace

TEST_CASE("xml: text is escaped, and what XML may not hold replaced") {
    using tx::detail::xml_text;
    CHECK(xml_text("a < b && c > \"d\"") == "a &lt; b &amp;&amp; c &gt; &quot;d&quot;");
    CHECK(xml_text("line\nline\ttab") == "line\nline\ttab");
    CHECK(xml_text(std::string("\0\x01\x7f", 3)) == "??\x7f");
    CHECK(xml_text("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") == "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"); // valid UTF-8 stays
    CHECK(xml_text("\xc3") == "?");                                                                        // cut off
    CHECK(xml_text("\xc0\xaf") == "??");           // longer than it must be
    CHECK(xml_text("\xed\xa0\x80") == "???");      // a surrogate
    CHECK(xml_text("\xef\xbf\xbf") == "???");      // U+FFFF
    CHECK(xml_text("\xf4\x90\x80\x80") == "????"); // beyond Unicode
    CHECK(tx::detail::shown_characters("\xc3\xa4"
                                       "b") == 2);
    CHECK(tx::detail::coordinate(2) == "2");
    CHECK(tx::detail::coordinate(-0.04) == "0");
    CHECK(tx::detail::coordinate(2.25) == "2.3");
}

TEST_CASE("layout: a leaf lies above its first user, a long edge has a point in each layer") {
    graph g;
    node_id const x = parameter(g, {4}), y = parameter(g, {4});
    node_id const a = append(g, op::exp, {x}), b = append(g, op::exp, {a}), c = append(g, op::add, {b, x});
    g.add_output(append(g, op::multiply, {c, y}));
    tx::detail::drawing const d = tx::detail::drawing_of(g.view());
    tx::detail::layout const l = tx::detail::layering(d, equal_widths(d)).run();
    std::vector<int> layers;
    for (std::size_t i = 0; i < d.nodes.size(); ++i) layers.push_back(l.points[i].layer);
    CHECK(layers == std::vector<int>{0, 3, 1, 2, 3, 4, 5}); // x, y, a, b, c, the product, the result
    CHECK(l.layers == 6);
    CHECK(l.paths[3].size() == 4); // x -> c, past a and b
}

TEST_CASE("layout: of random graphs edges go down, neighbours keep their distance") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        graph const g = tx::canonicalize(tx::random_graph(seed));
        tx::detail::drawing const d = tx::detail::drawing_of(g.view());
        tx::detail::layout const l = tx::detail::layering(d, equal_widths(d)).run();
        for (auto const& path : l.paths)
            for (std::size_t k = 1; k < path.size(); ++k) CHECK(l.points[path[k]].layer == l.points[path[k - 1]].layer + 1);
        for (std::size_t a = 0; a < l.points.size(); ++a) {
            CHECK(l.points[a].x - l.points[a].width / 2 >= -1e-9);
            CHECK(l.points[a].x + l.points[a].width / 2 <= l.width + 1e-9);
            for (std::size_t b = 0; b < a; ++b)
                if (l.points[a].layer == l.points[b].layer)
                    CHECK(std::abs(l.points[a].x - l.points[b].x) >= (l.points[a].width + l.points[b].width) / 2);
        }
        std::string const svg = tx::to_svg(g.view());
        CHECK(is_xml(svg));
        CHECK(count_of(svg, "<g><title>") == d.nodes.size());
        CHECK(count_of(svg, "marker-end") == d.edges.size());
        CHECK(is_xml(tx::to_html(g.view())));
        CHECK(tx::to_svg(g.view()) == svg);
    }
}

TEST_CASE("svg: a picture in full") {
    graph g;
    g.add_output(append(g, op::exp, {parameter(g, {2, 3})}));
    CHECK(
        tx::to_svg(g.view()) ==
        R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="134.2" height="248" viewBox="0 0 134.2 248" font-family="monospace" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>
<path fill="none" stroke="#555" marker-end="url(#arrow)" d="M67.1 72C67.1 88 67.1 88 67.1 104"/>
<path fill="none" stroke="#555" marker-end="url(#arrow)" d="M67.1 144C67.1 164.3 67.1 164.3 67.1 184.5"/>
<g><title>arg0
float32[2,3]</title><rect x="16" y="32" width="102.2" height="40" rx="10" stroke="#555" fill="white"/><text text-anchor="middle" x="67.1" y="48">arg0</text><text text-anchor="middle" x="67.1" y="65" fill="#666">float32[2,3]</text></g>
<g><title>exp
float32[2,3]</title><rect x="16" y="104" width="102.2" height="40" rx="2" stroke="#555" fill="white"/><text text-anchor="middle" x="67.1" y="120">exp</text><text text-anchor="middle" x="67.1" y="137" fill="#666">float32[2,3]</text></g>
<g><title>result0</title><text text-anchor="middle" x="67.1" y="200.5">result0</text></g>
</svg>
)svg");
}

TEST_CASE("svg: empty graphs, texts with markup, groups") {
    CHECK(is_xml(tx::to_svg(graph{}.view())));
    CHECK(is_xml(tx::to_html(graph{}.view())));
    tx::detail::drawing d;
    d.nodes.push_back({{"<&\">", std::string(60, 'x')}, true, false, 0});
    d.nodes.push_back({{"result0"}, false, true});
    d.edges.push_back({0, 1, {}});
    d.groups.push_back("loop of \"<2>\"");
    std::string const svg = tx::to_svg(d), dot = tx::to_dot(d);
    CHECK(is_xml(svg));
    CHECK(svg.find("&lt;&amp;&quot;&gt;") != svg.npos);
    CHECK(svg.find(">" + std::string(41, 'x') + "...<") != svg.npos); // the whole is in the title
    CHECK(svg.find("loop of &quot;&lt;2&gt;&quot;</text>") != svg.npos);
    CHECK(is_xml(tx::to_html(d, "a < b", "1 & 2")));
    CHECK(dot.find(R"([label="<&\">\nxxx)") != dot.npos);
    CHECK(dot.find(R"(subgraph cluster_0 { label="loop of \"<2>\""; style=filled; fillcolor="#eef2f8"; n0; })") != dot.npos);
}
