// This file holds the bodies of svg.hpp.
#pragma once

#include <tracexpr/base/xml.hpp>
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/graph/layout.hpp>
#include <tracexpr/graph/print.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

class svg_writer {
public:
    // `arrow` is the id of the arrow head, which must be unique on the page.
    explicit svg_writer(drawing const& d, std::string const& arrow = "arrow")
        : d_{d}, place_(layering(d, widths(d)).run()), arrow_{arrow} {}

    std::string run() {
        double const words = static_cast<double>(longest_group()) * letter + 40;
        double const width = std::max(place_.width * letter, words) + 2 * margin;
        double const legend = static_cast<double>(d_.groups.size()) * line;
        double const height = place_.layers * layer_height + 2 * margin + legend;
        left_ = (width - place_.width * letter) / 2;
        out_ = svg_head(width, height, "monospace", font_size) + "<defs><marker id=\"" + arrow_ +
               "\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
               "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n";
        for (std::size_t e = 0; e < d_.edges.size(); ++e) add_edge(e);
        for (std::size_t i = 0; i < d_.nodes.size(); ++i) add_node(i);
        for (std::size_t g = 0; g < d_.groups.size(); ++g) add_group(g, height - margin - legend + static_cast<double>(g) * line);
        return std::move(out_) + "</svg>\n";
    }

private:
    static constexpr int font_size = 12;
    // A letter is 0.6 em wide in most fonts.
    static constexpr double letter = 7.3, line = 17, margin = 16, layer_height = 72;
    static constexpr std::size_t longest_line = 44;

    static std::string cut(std::string const& text) {
        if (shown_characters(text) <= longest_line) return text;
        std::size_t end = longest_line - 3;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80) --end;
        return text.substr(0, end) + "...";
    }
    static std::vector<double> widths(drawing const& d) {
        std::vector<double> out;
        for (drawn_node const& n : d.nodes) {
            std::size_t most = 0;
            for (std::string const& text : n.lines) most = std::max(most, shown_characters(cut(text)));
            out.push_back(static_cast<double>(most) + 2);
        }
        return out;
    }
    std::size_t longest_group() const {
        std::size_t most = 0;
        for (std::string const& text : d_.groups) most = std::max(most, shown_characters(text));
        return most;
    }
    // The hue steps by the golden angle, so neighbouring groups differ in colour.
    static std::string colour(std::int32_t group) { return "hsl(" + std::to_string(group * 137 % 360) + ",60%,90%)"; }
    static double node_height(drawn_node const& n) { return static_cast<double>(n.lines.size()) * line + 6; }
    double x_of(std::size_t point) const { return left_ + place_.points[point].x * letter; }
    double y_of(std::size_t point) const { return margin + (place_.points[point].layer + 0.5) * layer_height; }

    void add_node(std::size_t i) {
        drawn_node const& n = d_.nodes[i];
        double const width = place_.points[i].width * letter, height = node_height(n), x = x_of(i), y = y_of(i);
        std::string whole;
        for (std::string const& text : n.lines) whole += (whole.empty() ? "" : "\n") + text;
        if (n.group >= 0) whole += '\n' + d_.groups[static_cast<std::size_t>(n.group)];
        out_ += "<g><title>" + xml_text(whole) + "</title>";
        if (!n.is_result)
            out_ += "<rect x=\"" + coordinate(x - width / 2) + "\" y=\"" + coordinate(y - height / 2) + "\" width=\"" +
                    coordinate(width) + "\" height=\"" + coordinate(height) + "\" rx=\"" + (n.is_leaf ? "10" : "2") +
                    "\" stroke=\"#555\" fill=\"" + (n.group >= 0 ? colour(n.group) : "white") + "\"/>";
        for (std::size_t k = 0; k < n.lines.size(); ++k)
            out_ += "<text text-anchor=\"middle\" x=\"" + coordinate(x) + "\" y=\"" +
                    coordinate(y - height / 2 + static_cast<double>(k + 1) * line - 1) + "\"" + (k ? " fill=\"#666\">" : ">") +
                    xml_text(cut(n.lines[k])) + "</text>";
        out_ += "</g>\n";
    }
    // Edges reach a node side by side, in the order of its operands.
    double port_of(std::size_t e) const {
        std::size_t first = e, end = e;
        while (first > 0 && d_.edges[first - 1].to == d_.edges[e].to) --first;
        while (end < d_.edges.size() && d_.edges[end].to == d_.edges[e].to) ++end;
        double const part = static_cast<double>(e - first + 1) / static_cast<double>(end - first + 1) - 0.5;
        return part * place_.points[d_.edges[e].to].width * letter;
    }
    void add_edge(std::size_t e) {
        std::vector<std::size_t> const& path = place_.paths[e];
        double x = x_of(path[0]), y = y_of(path[0]) + node_height(d_.nodes[path[0]]) / 2;
        out_ +=
            "<path fill=\"none\" stroke=\"#555\" marker-end=\"url(#" + arrow_ + ")\" d=\"M" + coordinate(x) + ' ' + coordinate(y);
        for (std::size_t k = 1; k < path.size(); ++k) {
            bool const is_last = k + 1 == path.size();
            double const to_x = x_of(path[k]) + (is_last ? port_of(e) : 0),
                         to_y = y_of(path[k]) - (is_last ? node_height(d_.nodes[path[k]]) / 2 : 0);
            double const bend = (to_y - y) / 2;
            out_ += 'C' + coordinate(x) + ' ' + coordinate(y + bend) + ' ' + coordinate(to_x) + ' ' + coordinate(to_y - bend) +
                    ' ' + coordinate(to_x) + ' ' + coordinate(to_y);
            x = to_x, y = to_y;
        }
        out_ += "\"/>\n";
        if (d_.edges[e].label.empty()) return;
        out_ += "<text font-size=\"10\" fill=\"#888\" x=\"" + coordinate(x + 3) + "\" y=\"" + coordinate(y - 8) + "\">" +
                d_.edges[e].label + "</text>\n";
    }
    void add_group(std::size_t g, double y) {
        out_ += "<rect x=\"" + coordinate(margin) + "\" y=\"" + coordinate(y + 3) +
                "\" width=\"14\" height=\"12\" stroke=\"#555\" fill=\"" + colour(static_cast<std::int32_t>(g)) +
                "\"/><text x=\"" + coordinate(margin + 22) + "\" y=\"" + coordinate(y + 13) + "\">" + xml_text(d_.groups[g]) +
                "</text>\n";
    }

    drawing const& d_;
    layout place_;
    std::string arrow_;
    double left_ = 0;
    std::string out_;
};

inline void add_pictures(std::string& out, drawing const& d) {
    if (!d.title.empty()) out += "<h2>" + xml_text(d.title) + "</h2>\n";
    out += svg_writer(d, "arrow" + std::to_string(out.size())).run();
    for (drawing const& region : d.regions) add_pictures(out, region);
}

} // namespace tx::detail

namespace tx {

TRACEXPR_BODY std::string to_svg(detail::drawing const& d) { return detail::svg_writer(d).run(); }
TRACEXPR_BODY std::string to_html(detail::drawing const& d, std::string const& title, std::string const& text) {
    std::string out = "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/><title>" +
                      detail::xml_text(title) + "</title></head>\n<body>\n<h1>" + detail::xml_text(title) + "</h1>\n";
    detail::add_pictures(out, d);
    return out + "<pre>" + detail::xml_text(text) + "</pre>\n</body></html>\n";
}

TRACEXPR_BODY std::string to_svg(graph_view const& any_order) {
    graph const ordered = canonicalize(any_order);
    return to_svg(detail::drawing_of(ordered.view()));
}
TRACEXPR_BODY std::string to_html(graph_view const& any_order) {
    graph const ordered = canonicalize(any_order);
    return to_html(detail::drawing_with_regions(ordered.view()), "graph of " + std::to_string(ordered.size()) + " nodes",
                   to_text(ordered.view()));
}

} // namespace tx

TRACEXPR_END_PASSES
