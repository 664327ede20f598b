// This file places the nodes of a drawing in layers, so that all edges go down (Sugiyama, Tagawa and Toda, Methods for Visual
// Understanding of Hierarchical System Structures, 1981). A node's layer is its longest path from a leaf; an edge that crosses
// layers has a point in each of them. The points of a layer are ordered by the mean place of their neighbours in the adjacent
// layers.
#pragma once

#include <tracexpr/graph/drawing.hpp>

#include <algorithm>
#include <cmath>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

struct layout {
    struct point {
        double x = 0; // the middle of the box, in characters
        int layer = 0;
        double width = 0;
        std::vector<std::size_t> above, below;
    };
    std::vector<point> points; // The first points are those of the nodes, in order.
    // The path of an edge lists its points from the upper node to the lower one.
    std::vector<std::vector<std::size_t>> paths;
    double width = 0;
    int layers = 0;
};

class layering {
public:
    // `widths` are the widths of the nodes, in characters.
    layering(drawing const& d, std::vector<double> const& widths) : d_{d} {
        out_.points.resize(d.nodes.size());
        for (std::size_t i = 0; i < widths.size(); ++i) out_.points[i].width = widths[i];
    }
    layout run() {
        find_layers();
        add_paths();
        rows_.resize(static_cast<std::size_t>(out_.layers));
        for (std::size_t p = 0; p < out_.points.size(); ++p) rows_[layer_of(p)].push_back(p);
        for (std::vector<std::size_t> const& row : rows_) pack(row);
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            order(sweep % 2 == 0);
            if (sweep >= sweeps / 2) place(sweep % 2 == 0);
        }
        for (int sweep = 0; sweep < sweeps; ++sweep) place(sweep % 2 == 0);
        move_to_edge();
        return std::move(out_);
    }

private:
    static constexpr int sweeps = 16;
    static constexpr double gap = 2.5;

    std::size_t layer_of(std::size_t p) const { return static_cast<std::size_t>(out_.points[p].layer); }
    // The layer of a node is its longest path from a leaf; a leaf is moved to the layer just above its first user.
    void find_layers() {
        for (drawn_edge const& e : d_.edges)
            out_.points[e.to].layer = std::max(out_.points[e.to].layer, out_.points[e.from].layer + 1);
        std::vector<int> first_user(d_.nodes.size(), -1);
        for (drawn_edge const& e : d_.edges) {
            int& first = first_user[e.from];
            first = first < 0 ? out_.points[e.to].layer : std::min(first, out_.points[e.to].layer);
        }
        for (std::size_t i = 0; i < d_.nodes.size(); ++i) {
            if (d_.nodes[i].is_leaf && first_user[i] > 0) out_.points[i].layer = first_user[i] - 1;
            out_.layers = std::max(out_.layers, out_.points[i].layer + 1);
        }
    }
    void add_paths() {
        for (drawn_edge const& e : d_.edges) {
            std::vector<std::size_t> path{e.from};
            for (int layer = out_.points[e.from].layer + 1; layer < out_.points[e.to].layer; ++layer) {
                out_.points.push_back({0, layer, 0, {}, {}});
                path.push_back(out_.points.size() - 1);
            }
            path.push_back(e.to);
            for (std::size_t k = 1; k < path.size(); ++k) {
                out_.points[path[k - 1]].below.push_back(path[k]);
                out_.points[path[k]].above.push_back(path[k - 1]);
            }
            out_.paths.push_back(std::move(path));
        }
    }
    // Puts the points of a row side by side, with the middle of the row at 0.
    void pack(std::vector<std::size_t> const& row) {
        double at = 0;
        for (std::size_t const p : row) {
            out_.points[p].x = at + out_.points[p].width / 2;
            at += out_.points[p].width + gap;
        }
        for (std::size_t const p : row) out_.points[p].x -= (at - gap) / 2;
    }
    double wanted(std::size_t p, bool down) const {
        std::vector<std::size_t> const& from = down ? out_.points[p].above : out_.points[p].below;
        if (from.empty()) return out_.points[p].x;
        double sum = 0;
        for (std::size_t const other : from) sum += out_.points[other].x;
        return sum / static_cast<double>(from.size());
    }
    template <class Visit> void for_each_row(bool down, Visit const& visit) {
        for (std::size_t k = 0; k < rows_.size(); ++k) visit(rows_[down ? k : rows_.size() - 1 - k]);
    }
    void order(bool down) {
        for_each_row(down, [&](std::vector<std::size_t>& row) {
            std::vector<std::size_t> const before = row;
            std::vector<std::pair<double, std::size_t>> places; // Points that want the same place keep their order.
            for (std::size_t k = 0; k < row.size(); ++k) places.emplace_back(wanted(before[k], down), k);
            std::sort(places.begin(), places.end());
            for (std::size_t k = 0; k < row.size(); ++k) row[k] = before[places[k].second];
            pack(row);
        });
    }
    // Moves each point to where its neighbours want it, as far as the points beside it allow: half way between the results of
    // pushing to the right and of pushing to the left.
    void place(bool down) {
        for_each_row(down, [&](std::vector<std::size_t> const& row) {
            std::vector<double> right, left(row.size());
            for (std::size_t k = 0; k < row.size(); ++k) {
                double const want = wanted(row[k], down);
                right.push_back(k ? std::max(want, right[k - 1] + separation(row[k - 1], row[k])) : want);
            }
            for (std::size_t k = row.size(); k-- > 0;) {
                double const want = wanted(row[k], down);
                left[k] = k + 1 < row.size() ? std::min(want, left[k + 1] - separation(row[k], row[k + 1])) : want;
            }
            for (std::size_t k = 0; k < row.size(); ++k) out_.points[row[k]].x = (left[k] + right[k]) / 2;
        });
    }
    double separation(std::size_t a, std::size_t b) const { return (out_.points[a].width + out_.points[b].width) / 2 + gap; }
    void move_to_edge() {
        double least = 0, most = 0;
        for (layout::point const& p : out_.points)
            least = std::min(least, p.x - p.width / 2), most = std::max(most, p.x + p.width / 2);
        for (layout::point& p : out_.points) p.x -= least;
        out_.width = most - least;
    }

    drawing const& d_;
    layout out_;
    std::vector<std::vector<std::size_t>> rows_;
};

} // namespace tx::detail

TRACEXPR_END_PASSES
