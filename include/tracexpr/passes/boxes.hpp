// This pass cuts loops that read concatenations (a roll, an edge that is repeated) into boxes, in each of which every element
// comes from one part. One box holds most of the elements and reads all parts where they lie; thin boxes are left at the edges.
// Without this pass the concatenation is written to memory and read again.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/simplify.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

class boxing {
public:
    constexpr explicit boxing(graph_view const& g)
        : g_{g}, uses_{value_uses(g)}, cut_joins_(g.size(), 0), uses_join_(g.size(), 0), copier_(g, out_) {}

    TRACEXPR_ONCE constexpr bool find() {
        bool any = false;
        for (std::size_t i = 0; i < g_.size(); ++i) any = (cut_joins_[i] = may_be_cut(g_.nodes[i])) || any;
        if (!any) return false;
        keep_needed_whole();
        any = false;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            uses_join_[i] = is_pointwise(g_.nodes[i]) && needs_joined(g_.nodes[i]);
            any = any || uses_join_[i];
        }
        if (!any) return false;
        roots_.assign(g_.size(), 0);
        for (std::size_t i = 0; i < g_.size(); ++i)
            for (std::size_t k = 0; k < value_operands(g_.nodes[i]); ++k)
                if (node_id const id = g_.operand(g_.nodes[i], k);
                    uses_join_[index(id)] && !(uses_join_[i] && same_shape(id, to_id(i)))) {
                    bool const sums = reduces_boxes(g_.nodes[i], id);
                    roots_[sums ? i : index(id)] = 1;
                }
        for (node_id const id : g_.outputs) roots_[index(id)] = uses_join_[index(id)];
        any = false;
        int copies = 0;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            if (!roots_[i]) continue;
            grid const cut = grid_of(to_id(i));
            roots_[i] = cut.is_wanted && copies + cut.cost <= most_copies;
            copies += roots_[i] ? cut.cost : 0;
            any = any || roots_[i];
        }
        return any;
    }
    TRACEXPR_ONCE constexpr graph rewritten() && {
        copier_.copy_all([&](node_id id) { return roots_[index(id)] ? in_boxes(id) : node_id::none; });
        copier_.add_outputs(g_.outputs);
        return std::move(out_);
    }

private:
    static constexpr int most_cuts = 2;     // an axis is cut so often at most
    static constexpr int most_copies = 160; // so many nodes are copied at most, in all boxes; each costs compile time
    struct box {
        std::int64_t first[max_rank]{}, last[max_rank]{};
    };
    // A grid says where the axes of a space are cut.
    struct grid {
        dims shape{};
        int cuts[max_rank]{};
        std::int64_t at[max_rank][most_cuts]{};
        int cost = 0; // nodes in all boxes
        bool is_wanted = false;

        TRACEXPR_ONCE constexpr bool cut(int axis, std::int64_t place) {
            std::int64_t* const known = at[axis];
            int k = 0;
            while (k < cuts[axis] && known[k] < place) ++k;
            if (k < cuts[axis] && known[k] == place) return true;
            if (cuts[axis] == most_cuts) return false;
            for (int j = cuts[axis]++; j > k; --j) known[j] = known[j - 1];
            known[k] = place;
            return true;
        }
        constexpr std::int64_t first(int axis, int part) const { return part ? at[axis][part - 1] : 0; }
        constexpr std::int64_t last(int axis, int part) const { return part < cuts[axis] ? at[axis][part] : shape[axis]; }
        TRACEXPR_ONCE constexpr int longest(int axis) const {
            int best = 0;
            for (int part = 1; part <= cuts[axis]; ++part)
                if (last(axis, part) - first(axis, part) > last(axis, best) - first(axis, best)) best = part;
            return best;
        }
        // Returns the box that has the longest part of each axis before `axis`, part `part` of `axis`, and the whole of each axis
        // behind it.
        TRACEXPR_ONCE constexpr box slab(int axis, int part) const {
            box b;
            for (int k = 0; k < shape.rank; ++k) {
                int const of = k == axis ? part : longest(k);
                b.first[k] = k <= axis ? first(k, of) : 0, b.last[k] = k <= axis ? last(k, of) : shape[k];
            }
            return b;
        }
        constexpr box main() const { return slab(shape.rank - 1, longest(shape.rank - 1)); }
        TRACEXPR_ONCE constexpr int boxes() const {
            int count = 1;
            for (int axis = 0; axis < shape.rank; ++axis) count += cuts[axis];
            return count;
        }
    };

    constexpr bool same_shape(node_id a, node_id b) const { return g_[a].shape == g_[b].shape; }
    TRACEXPR_ONCE constexpr bool is_pointwise(node const& n) const {
        return info(n.code).kind == kind::pointwise && n.attributes.count == 0 && g_.shape_of(n).is_static();
    }
    // Is a concatenation large, and one of its parts most of it?
    TRACEXPR_ONCE constexpr bool may_be_cut(node const& n) const {
        constexpr std::int64_t least_bytes = 4096;
        if (n.code != op::concatenate || n.type == dtype::string || n.arity > most_cuts + 1u) return false;
        dims const& d = g_.shape_of(n);
        if (!d.is_static() || d.size() * static_cast<std::int64_t>(size_in_bytes(n.type)) < least_bytes) return false;
        int const axis = static_cast<int>(g_.attributes_of(n)[0]);
        std::int64_t most = 0;
        for (std::size_t k = 0; k < n.arity; ++k)
            if (std::int64_t const part = g_.shape_of(g_.operand(n, k))[axis]; part > most) most = part;
        return is_most(most, d[axis]) && most < d[axis];
    }
    static constexpr bool is_most(std::int64_t part, std::int64_t whole) { return 4 * part >= 3 * whole; }
    // Concatenations that anything but a pointwise op of the same shape needs are written to memory; they are not cut.
    TRACEXPR_ONCE constexpr void keep_needed_whole() {
        for (std::size_t i = 0; i < g_.size(); ++i)
            for (std::size_t k = 0; k < value_operands(g_.nodes[i]); ++k)
                if (node_id const id = g_.operand(g_.nodes[i], k);
                    cut_joins_[index(id)] && !(is_pointwise(g_.nodes[i]) && same_shape(id, to_id(i))))
                    cut_joins_[index(id)] = 0;
        for (node_id const id : g_.outputs) cut_joins_[index(id)] = 0;
    }
    TRACEXPR_ONCE constexpr bool needs_joined(node const& n) const {
        for (std::size_t k = 0; k < n.arity; ++k)
            if (node_id const id = g_.operand(n, k); g_[id].shape == n.shape && (cut_joins_[index(id)] || uses_join_[index(id)]))
                return true;
        return false;
    }
    // Returns the op which combines the results of boxes to the result of a reduction, or op::literal if there is none.
    TRACEXPR_ONCE static constexpr op combining(op code) {
        return code == op::sum ? op::add : code == op::max ? op::maximum : code == op::min ? op::minimum : op::literal;
    }
    TRACEXPR_ONCE constexpr bool reduces_boxes(node const& n, node_id whole) const {
        if (info(n.code).kind != kind::reduction || combining(n.code) == op::literal) return false;
        grid const cut = grid_of(whole);
        if (!cut.is_wanted) return false;
        std::uint32_t reduced = 0;
        for (std::int64_t const axis : g_.attributes_of(n).subspan(1)) reduced |= 1u << axis;
        for (int axis = 0; axis < cut.shape.rank; ++axis)
            if (cut.cuts[axis] && !(reduced >> axis & 1u)) return false;
        return true;
    }

    // Cuts the space of a loop at the edges of all parts of the concatenations that it reads.
    TRACEXPR_ONCE constexpr grid grid_of(node_id id) const {
        constexpr std::int64_t least_row = 64;
        if (!uses_join_[index(id)] && info(g_[id].code).kind == kind::reduction) id = g_.operand(g_[id], 0);
        grid out;
        out.shape = g_.shape_of(id);
        buffer<node_id> reached;
        buffer<std::uint8_t> seen(g_.size(), 0);
        reached.push_back(id);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            node const& n = g_[reached[i]];
            if (cut_joins_[index(reached[i])]) {
                int const axis = static_cast<int>(g_.attributes_of(n)[0]);
                std::int64_t place = 0;
                for (std::size_t k = 0; k + 1 < n.arity; ++k) {
                    place += g_.shape_of(g_.operand(n, k))[axis];
                    if (place > 0 && place < out.shape[axis] && !out.cut(axis, place)) return out;
                }
                continue;
            }
            for (std::size_t k = 0; k < n.arity; ++k) {
                node_id const o = g_.operand(n, k);
                if (seen[index(o)] || !same_shape(o, id) ||
                    !(cut_joins_[index(o)] || (uses_join_[index(o)] && !roots_[index(o)])))
                    continue;
                seen[index(o)] = 1;
                reached.push_back(o);
            }
            if (reached.size() > most_copies) return out;
        }
        std::int64_t row = 0, size = 1;
        for (int axis = 0; axis < out.shape.rank; ++axis) {
            int const part = out.longest(axis);
            row = out.last(axis, part) - out.first(axis, part);
            size *= row;
        }
        out.cost = out.boxes() * static_cast<int>(reached.size());
        out.is_wanted = reached.size() > 1 && out.cost <= most_copies && row >= least_row && is_most(size, out.shape.size());
        return out;
    }

    // Computes the elements of a node within a box of the space of `root`.
    TRACEXPR_ONCE constexpr node_id within(box const& b, node_id id, node_id root) {
        node const& n = g_[id];
        if (!same_shape(id, root)) return sliced(copier_[id], b, g_.shape_of(root));
        if (pieces_[index(id)] != node_id::none) return pieces_[index(id)];
        node_id out = node_id::none;
        if (cut_joins_[index(id)]) {
            out = joined(b, n);
        } else if (uses_join_[index(id)] && (id == root || !roots_[index(id)])) {
            out = computed(b, n, root);
        } else if (is_pointwise(n) && uses_[index(id)] == 1 && n.arity > 0) {
            out = computed(b, n, root);
        } else {
            out = sliced(copier_[id], b, g_.shape_of(root));
        }
        return pieces_[index(id)] = out;
    }
    // Copies a concatenation within a box. A thin box may hold some of each part: then these are concatenated.
    TRACEXPR_ONCE constexpr node_id joined(box const& b, node const& n) {
        int const axis = static_cast<int>(g_.attributes_of(n)[0]);
        buffer<node_id> pieces;
        std::int64_t before = 0;
        for (std::size_t k = 0; k < n.arity; ++k) {
            node_id const part = g_.operand(n, k);
            std::int64_t const extent = g_.shape_of(part)[axis];
            box inner = b;
            inner.first[axis] = b.first[axis] > before ? b.first[axis] - before : 0;
            inner.last[axis] = b.last[axis] < before + extent ? b.last[axis] - before : extent;
            if (inner.first[axis] < inner.last[axis]) pieces.push_back(sliced(copier_[part], inner, g_.shape_of(part)));
            before += extent;
        }
        std::int64_t const along = axis;
        return pieces.size() == 1 ? pieces[0]
                                  : out_.append(op::concatenate, n.type, extents_of(b, g_.shape_of(n).rank), pieces, {&along, 1});
    }
    TRACEXPR_ONCE static constexpr dims extents_of(box const& b, int rank) {
        dims out;
        for (int axis = 0; axis < rank; ++axis) out.push_back(b.last[axis] - b.first[axis]);
        return out;
    }
    TRACEXPR_ONCE constexpr node_id computed(box const& b, node const& n, node_id root) {
        node_id operands[3]{};
        for (std::size_t k = 0; k < n.arity; ++k) operands[k] = within(b, g_.operand(n, k), root);
        return out_.append(n.code, n.type, extents_of(b, g_.shape_of(root).rank), {operands, n.arity}, {},
                           {n.bits[0], n.bits[1]});
    }
    // Slices a box of a space from a value that is broadcast to the space.
    TRACEXPR_ONCE constexpr node_id sliced(node_id x, box const& b, dims const& space) {
        dims const d = out_.shape_of(x);
        buffer<std::int64_t> bounds;
        bool is_whole = true;
        for (int axis = 0; axis < d.rank; ++axis) {
            int const of = axis + space.rank - d.rank;
            bool const stays = d[axis] == 1 || (b.first[of] == 0 && b.last[of] == d[axis]);
            is_whole = is_whole && stays;
            bounds.push_back(stays ? 0 : b.first[of]), bounds.push_back(stays ? d[axis] : b.last[of]), bounds.push_back(1);
        }
        return is_whole ? x : append_view(out_, op::slice, x, bounds);
    }

    TRACEXPR_ONCE constexpr node_id in_boxes(node_id root) {
        grid const cut = grid_of(root);
        bool const sums = !uses_join_[index(root)];
        node_id const whole = sums ? g_.operand(g_[root], 0) : root;
        node_id made = part_of_root(root, whole, cut.main());
        if (!sums) made = padded(made, cut.main(), cut.shape);
        for (int axis = 0; axis < cut.shape.rank; ++axis)
            for (int part = 0; part <= cut.cuts[axis]; ++part) {
                if (part == cut.longest(axis)) continue;
                box const slab = cut.slab(axis, part);
                node_id const operands[]{made, part_of_root(root, whole, slab)};
                if (sums) made = out_.append(combining(g_[root].code), g_[root].type, g_.shape_of(root), operands);
                else made = out_.append(op::view_set, g_[root].type, cut.shape, operands, bounds_of(slab, cut.shape));
            }
        return made;
    }
    TRACEXPR_ONCE constexpr node_id part_of_root(node_id root, node_id whole, box const& b) {
        pieces_.assign(g_.size(), node_id::none);
        node_id const piece = within(b, whole, whole);
        if (root == whole) return piece;
        node_id const operand[]{piece};
        node const& n = g_[root];
        return out_.append(n.code, n.type, g_.shape_of(n), operand, g_.attributes_of(n), {n.bits[0], n.bits[1]});
    }
    TRACEXPR_ONCE constexpr node_id padded(node_id x, box const& b, dims const& shape) {
        buffer<std::int64_t> widths;
        for (int axis = 0; axis < shape.rank; ++axis)
            widths.push_back(b.first[axis]), widths.push_back(shape[axis] - b.last[axis]);
        node_id const operands[]{x, out_.append(op::literal, out_[x].type, dims{}, {}, {}, {})};
        return out_.append(op::pad, out_[x].type, shape, operands, widths);
    }
    TRACEXPR_ONCE static constexpr buffer<std::int64_t> bounds_of(box const& b, dims const& shape) {
        buffer<std::int64_t> out;
        out.push_back(static_cast<std::int64_t>(op::slice));
        for (int axis = 0; axis < shape.rank; ++axis) out.push_back(b.first[axis]), out.push_back(b.last[axis]), out.push_back(1);
        return out;
    }

    graph_view g_;
    buffer<std::int32_t> uses_;
    // for each node: is it a concatenation that is cut; a pointwise op on one; computed box by box
    buffer<std::uint8_t> cut_joins_, uses_join_, roots_;
    buffer<node_id> pieces_; // for each node, its value in the present box
    graph out_;
    graph_copier copier_;
};

// Applies the pass to a simplified graph, and simplifies the result again if it has changed.
TRACEXPR_ONCE constexpr graph with_boxes(graph simplified, pass_options const& options) {
    if (!options.simplify || !options.cluster || options.points) return simplified;
    bool joins = false;
    for (node const& n : simplified.view()) joins = joins || n.code == op::concatenate;
    if (!joins) return simplified;
    boxing boxes(simplified.view());
    if (!boxes.find()) return simplified;
    return simplify(std::move(boxes).rewritten().view(), options);
}

} // namespace tx::detail

TRACEXPR_END_PASSES
