// This pass unrolls a last axis of a few elements in a space that is made of much smaller values (differences of all pairs of
// points, [n, n, 3]): its loops would run over rows of those few elements. Values that are reduced there are computed element by
// element of that axis instead: a node of the space becomes one node for each element, without the axis. A reduction over the
// axis becomes a chain of its op; a reduction over other axes is made for each element, and the results are stacked. The small
// values are split into their columns, which are stored.
#pragma once

#include <tracexpr/passes/simplify.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// split_limits bounds what may be unrolled.
struct split_limits {
    std::int64_t longest = 16;      // elements of the axis
    std::int64_t longest_other = 8; // elements of the axis, if a reduction is over other axes
    std::int64_t longest_kept = 8;  // elements of the axis, if all reductions are over other axes
    std::int64_t most_nodes = 64;   // number of nodes after unrolling
    std::int64_t shortest_row = 16; // least extent of the axis in front of the split one
    std::int64_t large = 4096;      // least elements of the space
    std::int64_t repeated = 4;      // how often the small values are repeated at least
};

class split_axes {
public:
    constexpr split_axes(graph_view const& g, split_limits const& limits) : g_{g}, limits_{limits}, copier_{g, out_} {}
    constexpr ~split_axes() {} // nvcc 13 does not take the implicit one for constexpr

    // Does a reduction's operand have such an axis?
    TRACEXPR_ONCE static constexpr bool is_candidate(graph_view const& g, node_id id, split_limits const& limits) {
        dims const& d = g.shape_of(id);
        kind const k = info(g[id].code).kind;
        if (d.rank < 2 || (k != kind::pointwise && k != kind::reduction && g[id].code != op::broadcast_to)) return false;
        std::int64_t const count = d[d.rank - 1], row = d[d.rank - 2], size = d.size();
        return count >= 2 && count <= limits.longest && (row == dyn || row >= limits.shortest_row) &&
               (size == dyn || size >= limits.large);
    }
    // Are there reductions that can be unrolled?
    TRACEXPR_ONCE constexpr bool find() {
        bool found = false, reduced = false;
        std::int64_t longest = 0;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (info(n.code).kind != kind::reduction || !is_candidate(g_, g_.operand(n, 0), limits_)) continue;
            if (roles_.empty()) {
                roles_.assign(g_.size(), {});
                find_read_whole();
            }
            node_id const from = g_.operand(n, 0);
            int const axis = g_.shape_of(from).rank - 1;
            bool const over = reduces(n, axis);
            if (!over && g_.shape_of(from)[axis] > limits_.longest_other) continue;
            if (!splits(from, axis)) continue;
            roles_[i] = {over ? splitting::reduced_over_axis : splitting::reduced_over_others, axis};
            found = true, reduced = reduced || over;
            longest = std::max(longest, g_.shape_of(from)[axis]);
        }
        return found && nodes_ <= limits_.most_nodes && (reduced || longest <= limits_.longest_kept);
    }
    // Returns the graph with these reductions unrolled, and without nodes that nobody needs any more.
    TRACEXPR_ONCE constexpr graph rewritten(pass_options const& options) && {
        copier_.copy_all([&](node_id id) {
            switch (roles_[index(id)].state) {
            case splitting::reduced_over_axis: return chained(id);
            case splitting::reduced_over_others: return stacked(id);
            default: return node_id::none;
            }
        });
        copier_.add_outputs(g_.outputs);
        return rewriter(out_.view(), rules::expanded, options).run();
    }

private:
    enum class splitting : std::uint8_t {
        unvisited,
        whole,               // can't be computed element by element
        by_element,          // can be computed element by element
        reduced_over_axis,   // a reduction over the axis that is unrolled
        reduced_over_others, // a reduction over other axes that is made for each element
    };
    struct split_role {
        splitting state = splitting::unvisited;
        int axis = -1; // the node's axis; for a reduction: its operand's axis
    };
    struct element {
        node_id of;
        int axis;
        std::int64_t place;
        node_id made;
    };

    TRACEXPR_ONCE constexpr bool reduces(node const& n, int axis) const {
        for (std::int64_t const reduced_axis : g_.attributes_of(n).subspan(1))
            if (reduced_axis == axis) return true;
        return false;
    }
    // Marks nodes of which others read all elements at once.
    TRACEXPR_ONCE constexpr void find_read_whole() {
        read_whole_.assign(g_.size(), false);
        for (node const& n : g_) {
            kind const k = info(n.code).kind;
            bool const takes_apart = k == kind::pointwise || k == kind::reduction || n.code == op::broadcast_to ||
                                     n.code == op::expand_dims || n.code == op::squeeze;
            for (std::size_t i = 0; !takes_apart && i < value_operands(n); ++i) read_whole_[index(g_.operand(n, i))] = true;
        }
        for (node_id const id : g_.outputs) read_whole_[index(id)] = true;
    }
    // Returns the axis of an operand that is its result's `axis`, counted from the right; negative if it has none.
    static constexpr int aligned(dims const& d, dims const& from, int axis) { return axis - d.rank + from.rank; }
    TRACEXPR_ONCE static constexpr dims without(dims const& d, int axis) {
        dims out;
        for (int a = 0; a < d.rank; ++a)
            if (a != axis) out.push_back(d[a]);
        return out;
    }
    // Is a node of shape `d` much smaller, without its axis `axis`, than the space `pairs`, which doesn't have that axis?
    TRACEXPR_ONCE constexpr bool is_small(dims const& d, int axis, dims const& pairs) const {
        dims const own = without(d, axis);
        for (int a = 1; a <= pairs.rank; ++a) {
            std::int64_t const extent = pairs[pairs.rank - a];
            if ((a > own.rank || own[own.rank - a] == 1) && (extent == dyn || extent >= limits_.repeated)) return true;
        }
        return false;
    }

    // Can the node be computed one element of the axis at a time?
    TRACEXPR_ONCE constexpr bool splits(node_id id, int axis) {
        split_role& known = roles_[index(id)];
        if (known.state == splitting::reduced_over_axis || known.state == splitting::reduced_over_others)
            return splits_reduced(id, axis);
        if (known.state != splitting::unvisited) return known.state == splitting::by_element && known.axis == axis;
        bool const can = can_split(id, axis);
        roles_[index(id)] = {can ? splitting::by_element : splitting::whole, axis};
        return can;
    }
    // Returns the axis of a reduction's result that is its operand's `axis`, if that axis remains.
    TRACEXPR_ONCE constexpr int axis_behind(node const& n, int axis) const {
        attribute_span const attributes = g_.attributes_of(n);
        int before = 0;
        for (std::int64_t const reduced_axis : attributes.subspan(1)) before += reduced_axis < axis ? 1 : 0;
        return attributes[0] ? axis : axis - before;
    }
    TRACEXPR_ONCE constexpr bool splits_reduced(node_id id, int axis) const {
        node const& n = g_[id];
        split_role const& r = roles_[index(id)];
        return axis == axis_behind(n, r.axis) && (r.state == splitting::reduced_over_others || g_.attributes_of(n)[0]);
    }
    TRACEXPR_ONCE constexpr bool can_split(node_id id, int axis) {
        node const& n = g_[id];
        dims const& d = g_.shape_of(id);
        std::int64_t const count = d[axis];
        if (count == dyn || (read_whole_[index(id)] && count > 1)) return false;
        dims const pairs = without(d, axis);
        switch (info(n.code).kind) {
        case kind::pointwise: break;
        case kind::view:
            if (n.code == op::broadcast_to || n.code == op::expand_dims) break;
            return false;
        default: return false;
        }
        nodes_ += count;
        if (n.code == op::expand_dims) {
            int const from = behind_expanded(n, axis);
            return from < 0 || is_part(g_.operand(n, 0), from, without(g_.shape_of(g_.operand(n, 0)), from));
        }
        for (std::size_t k = 0; k < value_operands(n); ++k) {
            node_id const o = g_.operand(n, k);
            int const own = aligned(d, g_.shape_of(o), axis);
            if (own >= 0 && !is_part(o, own, pairs)) return false;
        }
        return true;
    }
    // Is an operand at `axis` either small, or itself computed element by element?
    TRACEXPR_ONCE constexpr bool is_part(node_id id, int axis, dims const& pairs) {
        return is_small(g_.shape_of(id), axis, pairs) ? g_.shape_of(id)[axis] != dyn : splits(id, axis);
    }
    // Returns the axis of expand_dims' operand that is its result's `axis`; negative if that is a new one.
    TRACEXPR_ONCE constexpr int behind_expanded(node const& n, int axis) const {
        int before = 0;
        for (std::int64_t const added : g_.attributes_of(n)) {
            if (added == axis) return -1;
            before += added < axis ? 1 : 0;
        }
        return axis - before;
    }

    // Returns the node's element `k` along the axis, without the axis.
    TRACEXPR_ONCE constexpr node_id element_of(node_id id, int axis, std::int64_t k) {
        if (g_.shape_of(id)[axis] == 1) k = 0;
        for (element const& e : elements_)
            if (e.of == id && e.axis == axis && e.place == k) return e.made;
        node_id const made = made_element(id, axis, k);
        elements_.push_back({id, axis, k, made});
        return made;
    }
    TRACEXPR_ONCE constexpr node_id made_element(node_id id, int axis, std::int64_t k) {
        node const& n = g_[id];
        dims const& d = g_.shape_of(id);
        if (n.code == op::expand_dims) return element_behind_expanded(n, axis, k);
        if (roles_[index(id)].state != splitting::by_element || roles_[index(id)].axis != axis) return column_of(id, axis, k);
        buffer<node_id> operands;
        for (std::size_t o = 0; o < n.arity; ++o) {
            node_id const from = g_.operand(n, o);
            int const own = aligned(d, g_.shape_of(from), axis);
            if (own < 0) operands.push_back(copier_[from]);
            else if (o < value_operands(n)) operands.push_back(element_of(from, own, k));
            else operands.push_back(cut(copier_[from], own, 0));
        }
        buffer<std::int64_t> remaining;
        attribute_span const all = g_.attributes_of(n);
        for (std::size_t a = 0; a < all.size(); ++a)
            if (n.code != op::broadcast_to || a != static_cast<std::size_t>(axis)) remaining.push_back(all[a]);
        return out_.append(n.code, n.type, without(d, axis), operands, remaining, {n.bits[0], n.bits[1]});
    }
    TRACEXPR_ONCE constexpr node_id element_behind_expanded(node const& n, int axis, std::int64_t k) {
        node_id const from = g_.operand(n, 0);
        int const own = behind_expanded(n, axis);
        node_id const x = own < 0 ? copier_[from] : element_of(from, own, k);
        buffer<std::int64_t> axes;
        for (std::int64_t const added : g_.attributes_of(n))
            if (added != axis) axes.push_back(added < axis ? added : added - 1);
        return axes.empty() ? x : append_view(out_, op::expand_dims, x, axes);
    }
    // Returns a view of one index of an axis, which stays as an axis of extent 1.
    TRACEXPR_ONCE constexpr node_id sliced(node_id id, int axis, std::int64_t k) {
        dims const& d = out_.shape_of(id);
        if (d[axis] == 1) return id;
        buffer<std::int64_t> bounds;
        for (int a = 0; a < d.rank; ++a) {
            bounds.push_back(a == axis ? k : slice_open);
            bounds.push_back(a == axis ? k + 1 : slice_open);
            bounds.push_back(1);
        }
        return append_view(out_, op::slice, id, bounds);
    }
    TRACEXPR_ONCE constexpr node_id cut(node_id id, int axis, std::int64_t k) {
        std::int64_t const axes[]{axis};
        return append_view(out_, op::squeeze, sliced(id, axis, k), axes);
    }
    // Returns element `k` along the axis of a small value, stored: a loop over the space then reads elements that lie side by
    // side.
    TRACEXPR_ONCE constexpr node_id column_of(node_id id, int axis, std::int64_t k) {
        split_role const& r = roles_[index(id)];
        if (r.state == splitting::reduced_over_others && axis == axis_behind(g_[id], r.axis)) return part_of(id, k);
        if (r.state == splitting::reduced_over_axis && axis == axis_behind(g_[id], r.axis) && g_.attributes_of(g_[id])[0])
            return chain_of(id);
        node_id const whole = copier_[id];
        if (out_.shape_of(whole)[axis] == 1) return cut(whole, axis, k);
        dims const d = without(out_.shape_of(whole), axis);
        buffer<std::int64_t> target;
        for (int a = 0; a < d.rank; ++a) target.push_back(d[a] != dyn ? d[a] : -2 - (a < axis ? a : a + 1));
        return append_view(out_, op::reshape, sliced(whole, axis, k), target);
    }

    // Returns the dtype of a chain; sums of floats narrower than 32 bits are rounded once.
    static constexpr dtype chained_as(dtype t) { return is_floating(t) && size_in_bytes(t) < 4 ? dtype::float32 : t; }
    TRACEXPR_ONCE constexpr node_id cast(node_id id, dtype to) {
        if (out_[id].type == to) return id;
        node_id const operand[]{id};
        return out_.append(op::cast, to, dims(out_.shape_of(id)), operand);
    }
    // Makes a reduction over the axis, and perhaps others, without the axis.
    TRACEXPR_ONCE constexpr node_id chain_of(node_id id) {
        node const& n = g_[id];
        node_id const from = g_.operand(n, 0);
        int const axis = roles_[index(id)].axis;
        dtype const type = chained_as(n.type);
        node_id all = cast(element_of(from, axis, 0), type);
        for (std::int64_t k = 1; k < g_.shape_of(from)[axis]; ++k) {
            node_id const operands[]{all, cast(element_of(from, axis, k), type)};
            all = out_.append(info(n.code).combines.by, type, without(g_.shape_of(from), axis), operands);
        }
        buffer<std::int64_t> remaining;
        for (std::int64_t const a : g_.attributes_of(n))
            if (remaining.empty() || a != axis) remaining.push_back(a);
        if (remaining.size() > 1) {
            dims const d = remaining[0] ? without(g_.shape_of(id), axis) : g_.shape_of(id);
            node_id const operand[]{all};
            all = out_.append(n.code, type, d, operand, remaining);
        }
        return cast(all, n.type);
    }
    TRACEXPR_ONCE constexpr node_id chained(node_id id) {
        node_id const all = chain_of(id);
        std::int64_t const axes[]{roles_[index(id)].axis};
        return g_.attributes_of(g_[id])[0] ? append_view(out_, op::expand_dims, all, axes) : all;
    }
    // Makes a reduction over other axes for one element of the axis.
    TRACEXPR_ONCE constexpr node_id part_of(node_id id, std::int64_t k) {
        node const& n = g_[id];
        int const axis = roles_[index(id)].axis;
        node_id const operand[]{element_of(g_.operand(n, 0), axis, k)};
        return out_.append(n.code, n.type, without(g_.shape_of(id), axis_behind(n, axis)), operand, g_.attributes_of(n));
    }
    TRACEXPR_ONCE constexpr node_id stacked(node_id id) {
        node const& n = g_[id];
        int const axis = axis_behind(n, roles_[index(id)].axis);
        std::int64_t const axes[]{axis};
        buffer<node_id> parts;
        for (std::int64_t k = 0; k < g_.shape_of(id)[axis]; ++k)
            parts.push_back(append_view(out_, op::expand_dims, part_of(id, k), axes));
        return out_.append(op::concatenate, n.type, g_.shape_of(id), parts, axes);
    }

    graph_view g_;
    split_limits limits_;
    graph out_;
    graph_copier copier_;
    buffer<split_role> roles_;
    buffer<bool> read_whole_;
    buffer<element> elements_;
    std::int64_t nodes_ = 0;
};

// Returns the limits for the kernels. Tiles keep a space in the cache as it is, so for them only chains are faster than rows.
constexpr split_limits limits_of(pass_options const& options) {
    return options.kernels == execution::tiles ? split_limits{.longest_kept = 3} : split_limits{};
}
TRACEXPR_ONCE constexpr bool may_split_axes(graph_view const& g, pass_options const& options, split_limits const& limits) {
    if (!options.split || !options.cluster) return false;
    for (node const& n : g)
        if (info(n.code).kind == kind::reduction && split_axes::is_candidate(g, g.operand(n, 0), limits)) return true;
    return false;
}
// Returns the graph with its short axes unrolled, or one without nodes if there are none.
TRACEXPR_ONCE constexpr graph with_split_axes(graph_view const& g, pass_options const& options, split_limits const& limits) {
    if (!may_split_axes(g, options, limits)) return {};
    split_axes all(g, limits);
    if (!all.find()) return {};
    return std::move(all).rewritten(options);
}
constexpr graph with_split_axes(graph_view const& g, pass_options const& options) {
    return with_split_axes(g, options, limits_of(options));
}

} // namespace tx::detail

TRACEXPR_END_PASSES
