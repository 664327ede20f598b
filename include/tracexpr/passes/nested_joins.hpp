// This pass rewrites tensors that are concatenated along one axis after the other (a halo, an edge that is repeated on each
// side). Most of the elements are those of one part, which each concatenation would copy once more. With this pass they are
// copied once, into a padded tensor, and the thin parts around them are stored there.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/simplify.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

class nested_joins {
public:
    constexpr explicit nested_joins(graph_view const& g)
        : g_{g}, uses_{value_uses(g)}, is_inner_(g.size(), 0), is_outer_(g.size(), 0), copier_(g, out_) {}

    TRACEXPR_ONCE constexpr bool find() {
        bool any = false;
        for (std::size_t i = g_.size(); i-- > 0;) {
            if (is_inner_[i] || !may_be_padded(to_id(i))) continue;
            for (node_id id = inner_join(to_id(i)); id != node_id::none; id = inner_join(id))
                any = true, is_outer_[i] = is_inner_[index(id)] = 1;
        }
        return any;
    }
    TRACEXPR_ONCE constexpr graph rewritten() && {
        copier_.copy_all([&](node_id id) { return is_outer_[index(id)] ? padded(id) : node_id::none; });
        copier_.add_outputs(g_.outputs);
        return std::move(out_); // the inner concatenations have no users left
    }

private:
    static constexpr std::size_t no_part = static_cast<std::size_t>(-1);

    constexpr int axis_of(node const& join) const { return static_cast<int>(g_.attributes_of(join)[0]); }
    constexpr std::int64_t extent(node const& join, std::size_t part) const {
        return g_.shape_of(g_.operand(join, part))[axis_of(join)];
    }
    // Returns the part that makes up most of a concatenation: at least three quarters of known extents, or the only part of
    // unknown extent.
    TRACEXPR_ONCE constexpr std::size_t main_part(node const& n) const {
        if (n.code != op::concatenate || n.type == dtype::string) return no_part;
        std::size_t main = 0;
        std::int64_t others = 0;
        for (std::size_t k = 1; k < n.arity; ++k)
            if (extent(n, main) != dyn && (extent(n, k) == dyn || extent(n, k) > extent(n, main))) main = k;
        for (std::size_t k = 0; k < n.arity; ++k) {
            if (k == main) continue;
            if (extent(n, k) == dyn) return no_part;
            others += extent(n, k);
        }
        return extent(n, main) == dyn || 3 * others <= extent(n, main) ? main : no_part;
    }
    TRACEXPR_ONCE constexpr bool may_be_padded(node_id id) const {
        // A smaller copy costs less than another call.
        constexpr std::int64_t least_bytes = 16384;
        node const& n = g_[id];
        if (main_part(n) == no_part) return false;
        dims const& d = g_.shape_of(id);
        return !d.is_static() || d.size() * static_cast<std::int64_t>(size_in_bytes(n.type)) >= least_bytes;
    }
    // Returns the concatenation that is the main part of this one, if nobody else needs it.
    TRACEXPR_ONCE constexpr node_id inner_join(node_id id) const {
        node_id const main = g_.operand(g_[id], main_part(g_[id]));
        return uses_[index(main)] == 1 && main_part(g_[main]) != no_part ? main : node_id::none;
    }

    // Margins are the distances of a box from the ends of a tensor, along each axis.
    struct margins {
        std::int64_t before[max_rank]{}, behind[max_rank]{};
    };
    TRACEXPR_ONCE constexpr node_id padded(node_id outer) {
        buffer<node_id> joins;
        for (node_id id = outer; id != node_id::none; id = inner_join(id)) joins.push_back(id);
        margins around;
        for (node_id const id : joins) around = inside(around, g_[id], main_part(g_[id]));
        node_id const core = copier_[g_.operand(g_[joins.back()], main_part(g_[joins.back()]))];
        int const rank = g_.shape_of(outer).rank;
        buffer<std::int64_t> widths;
        for (int axis = 0; axis < rank; ++axis) widths.push_back(around.before[axis]), widths.push_back(around.behind[axis]);
        node_id const operands[]{core, out_.append(op::literal, out_[core].type, dims{}, {}, {}, {})};
        node_id made = out_.append(op::pad, out_[core].type, g_.shape_of(outer), operands, widths);
        around = {};
        for (node_id const id : joins) {
            node const& join = g_[id];
            std::size_t const main = main_part(join);
            for (std::size_t k = 0; k < join.arity; ++k)
                if (k != main && extent(join, k) > 0)
                    made = put(made, copier_[g_.operand(join, k)], inside(around, join, k), outer);
            around = inside(around, join, main);
        }
        return made;
    }
    // Returns the margins of one part of a concatenation that itself has the margins `out`.
    TRACEXPR_ONCE constexpr margins inside(margins out, node const& join, std::size_t part) const {
        int const axis = axis_of(join);
        for (std::size_t k = 0; k < part; ++k) out.before[axis] += extent(join, k) == dyn ? unknown : extent(join, k);
        for (std::size_t k = part + 1; k < join.arity; ++k)
            out.behind[axis] += extent(join, k) == dyn ? unknown : extent(join, k);
        return out;
    }
    static constexpr std::int64_t unknown = std::int64_t{1} << 62; // more than any extent
    TRACEXPR_ONCE constexpr node_id put(node_id whole, node_id part, margins const& at, node_id outer) {
        dims const& d = out_.shape_of(part);
        buffer<std::int64_t> bounds;
        bounds.push_back(static_cast<std::int64_t>(op::slice));
        for (int axis = 0; axis < d.rank; ++axis) {
            std::int64_t const before = at.before[axis], behind = at.behind[axis];
            bool const from_end = before >= unknown, to_end = from_end || d[axis] == dyn;
            bounds.push_back(from_end ? -behind - d[axis] : before);
            bounds.push_back(!to_end ? before + d[axis] : behind > 0 ? -behind : slice_open);
            bounds.push_back(1);
        }
        node_id const operands[]{whole, part};
        return out_.append(op::view_set, out_[whole].type, g_.shape_of(outer), operands, bounds);
    }

    graph_view g_;
    buffer<std::int32_t> uses_;
    buffer<std::uint8_t> is_inner_, is_outer_; // for each node: is it the main part of another concatenation; is it rewritten
    graph out_;
    graph_copier copier_;
};

// Applies the pass to a simplified graph, and simplifies the result again if it has changed.
TRACEXPR_ONCE constexpr graph with_nested_joins(graph simplified, pass_options const& options) {
    if (!options.simplify || !options.cluster || options.points) return simplified;
    bool nested = false;
    graph_view const g = simplified.view();
    for (node const& n : g)
        for (std::size_t k = 0; n.code == op::concatenate && k < n.arity; ++k)
            nested = nested || g[g.operand(n, k)].code == op::concatenate;
    if (!nested) return simplified;
    nested_joins joins(g);
    if (!joins.find()) return simplified;
    return simplify(std::move(joins).rewritten().view(), options);
}

} // namespace tx::detail

TRACEXPR_END_PASSES
