// This pass rewrites sums of values of all pairs (i, j) over either axis (forces between particles, their gradients, distances of
// points of one set). If a value stays the same or changes its sign when i and j are swapped, its sum over one axis follows from
// its sum over the other, so the values are computed once. The sign is exact: x[i] - x[j] is -(x[j] - x[i]) to the last bit.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/passes/simplify.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

class pair_sums {
public:
    constexpr explicit pair_sums(graph_view const& g) : g_{g}, copier_(g, out_) {}
    constexpr ~pair_sums() {} // nvcc 13 does not take the implicit one for constexpr

    // Is there a value that is summed over each of two axes, and is even or odd in them?
    TRACEXPR_ONCE constexpr bool find() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            if (!is_sum(g_.nodes[i])) continue;
            for (std::size_t k = 0; k < i; ++k)
                if (is_sum(g_.nodes[k]) && g_.operand(g_.nodes[k], 0) == g_.operand(g_.nodes[i], 0) && note(i, k)) break;
        }
        for (std::size_t i = 0; i < g_.size(); ++i)
            if (is_total(g_.nodes[i])) note_total(i);
        return !swaps_.empty();
    }
    TRACEXPR_ONCE constexpr graph rewritten() && {
        copier_.copy_all([&](node_id id) {
            for (swap const& s : swaps_)
                if (s.sum == id) return s.sign == parity::unknown ? summed_in_stages(s) : summed_along(s);
            return node_id::none;
        });
        copier_.add_outputs(g_.outputs);
        return std::move(out_);
    }

private:
    enum class parity : std::uint8_t { unknown, none, even, odd };
    struct swap {
        node_id sum = node_id::none;
        std::int64_t along = 0; // the axis over which it is summed instead, or first
        parity sign{};          // unknown: it is a sum over all axes
    };

    constexpr bool is_sum(node const& n) const { return n.code == op::sum && n.attributes.count == 2; }
    constexpr std::int64_t axis_of(std::size_t sum) const { return g_.attributes_of(g_.nodes[sum])[1]; }
    TRACEXPR_ONCE constexpr bool is_total(node const& n) const {
        dims const& d = n.arity > 0 ? g_.shape_of(g_.operand(n, 0)) : dims{};
        return n.code == op::sum && d.rank > 1 && d.is_static() && n.attributes.count == static_cast<std::uint32_t>(d.rank) + 1;
    }
    // Notes a sum over all axes if there is also a sum over a single axis of a value of the same shape: it first sums over that
    // axis.
    TRACEXPR_ONCE constexpr void note_total(std::size_t total) {
        dims const& all = g_.shape_of(g_.operand(g_.nodes[total], 0));
        for (std::size_t k = 0; k < g_.size(); ++k) {
            if (!is_sum(g_.nodes[k]) || g_.shape_of(g_.operand(g_.nodes[k], 0)) != all) continue;
            std::int64_t along = axis_of(k);
            for (swap const& s : swaps_)
                if (s.sum == to_id(k)) along = s.along;
            swaps_.push_back({to_id(total), along, parity::unknown});
            return;
        }
    }
    // Notes two sums of one value: the sum over the leading one of the two axes is replaced by one over the other axis.
    TRACEXPR_ONCE constexpr bool note(std::size_t a, std::size_t b) {
        if (axis_of(a) == axis_of(b)) return false;
        std::size_t const front = axis_of(a) < axis_of(b) ? a : b, back = front == a ? b : a;
        node_id const value = g_.operand(g_.nodes[front], 0);
        p_ = static_cast<int>(axis_of(front)), q_ = static_cast<int>(axis_of(back)), rank_ = g_.shape_of(value).rank;
        dims const& d = g_.shape_of(value);
        if (d[p_] != d[q_] || !is_real(g_[value].type)) return false;
        known_.assign(g_.size(), parity::unknown);
        parity const parity_of_value = parity_of(value);
        if (parity_of_value == parity::none) return false;
        swaps_.push_back({to_id(front), axis_of(back), parity_of_value});
        return true;
    }
    static constexpr bool is_real(dtype t) { return is_inexact(t) && !is_complex(t) && !is_dual(t); }

    // Returns the extent along an axis of the summed value; 1 if the node has no such axis.
    TRACEXPR_ONCE constexpr std::int64_t extent(node_id id, int axis) const {
        dims const& d = g_.shape_of(id);
        int const own = axis - (rank_ - d.rank);
        return own < 0 ? 1 : d[own];
    }
    // Returns how a node's elements change when p_ and q_ are swapped: they stay (even), change their sign (odd), or neither.
    TRACEXPR_ONCE constexpr parity parity_of(node_id id) {
        parity& known = known_[index(id)];
        if (known != parity::unknown) return known;
        bool const along_p = extent(id, p_) != 1, along_q = extent(id, q_) != 1;
        parity const found = g_.shape_of(id).rank > rank_ || along_p != along_q ? parity::none
                             : !along_p                                         ? parity::even
                                                                                : computed_parity(id);
        return known_[index(id)] = found;
    }
    TRACEXPR_ONCE constexpr parity computed_parity(node_id id) {
        node const& n = g_[id];
        // Two unknown extents may differ, so a broadcast along both axes is only looked through if the extent is known.
        if (n.code == op::broadcast_to && n.arity == 1 && extent(id, p_) != dyn) return parity_of(g_.operand(n, 0));
        if (info(n.code).kind != kind::pointwise || is_complex(n.type) || is_dual(n.type)) return parity::none;
        parity of[3]{};
        if (n.arity == 2 && are_swapped(g_.operand(n, 0), g_.operand(n, 1)))
            return n.code == op::subtract ? parity::odd : info(n.code).commutes ? parity::even : parity::none;
        bool all_even = true;
        for (std::size_t k = 0; k < n.arity; ++k) {
            of[k] = parity_of(g_.operand(n, k));
            if (of[k] == parity::none) return parity::none;
            all_even = all_even && of[k] == parity::even;
        }
        if (all_even) return parity::even;
        switch (n.code) {
        case op::negative: return parity::odd;
        case op::absolute:
        case op::square: return parity::even;
        case op::multiply:
        case op::divide: return of[0] == of[1] ? parity::even : parity::odd;
        case op::add:
        case op::subtract: return of[0] == of[1] ? of[0] : parity::none;
        default: return parity::none;
        }
    }

    // `placed` says where each axis of a value lies among the axes of the summed value, after broadcasts and expand_dims are
    // looked through.
    struct placed {
        node_id source = node_id::none;
        int axis[max_rank]{};
    };
    TRACEXPR_ONCE constexpr placed place_of(node_id id) const {
        placed out{id};
        for (int k = 0, r = g_.shape_of(id).rank; k < r; ++k) out.axis[k] = k + rank_ - r;
        for (;;) {
            node const& n = g_[out.source];
            if (n.code == op::broadcast_to && n.arity == 1) {
                node_id const from = g_.operand(n, 0);
                int const more = g_.shape_of(n).rank - g_.shape_of(from).rank;
                for (int k = 0; k < g_.shape_of(from).rank; ++k) out.axis[k] = out.axis[k + more];
                out.source = from;
            } else if (n.code == op::expand_dims) {
                int to = 0;
                for (int k = 0; k < g_.shape_of(n).rank; ++k) {
                    bool is_new = false;
                    for (std::int64_t const axis : g_.attributes_of(n)) is_new = is_new || axis == k;
                    if (!is_new) out.axis[to++] = out.axis[k];
                }
                out.source = g_.operand(n, 0);
            } else {
                return out;
            }
        }
    }
    // Are two nodes the same value, one along p_ and the other along q_?
    TRACEXPR_ONCE constexpr bool are_swapped(node_id a, node_id b) const {
        if (g_.shape_of(a).rank > rank_ || g_.shape_of(b).rank > rank_) return false;
        placed const x = place_of(a), y = place_of(b);
        if (x.source != y.source) return false;
        dims const& d = g_.shape_of(x.source);
        for (int k = 0; k < d.rank; ++k) {
            int const other = y.axis[k] == p_ ? q_ : y.axis[k] == q_ ? p_ : y.axis[k];
            if (d[k] != 1 && x.axis[k] != other) return false;
        }
        return true;
    }

    TRACEXPR_ONCE constexpr node_id summed_over(node const& n, std::int64_t along) {
        node_id const value = copier_[g_.operand(n, 0)];
        std::int64_t const attributes[]{1, along};
        dims sum_shape = out_.shape_of(value);
        sum_shape[static_cast<int>(along)] = 1;
        return out_.append(op::sum, n.type, sum_shape, {&value, 1}, attributes);
    }
    TRACEXPR_ONCE constexpr node_id summed_in_stages(swap const& s) {
        node const& n = g_[s.sum];
        node_id const first = summed_over(n, s.along);
        return out_.append(op::sum, n.type, g_.shape_of(n), {&first, 1}, g_.attributes_of(n));
    }
    // Appends the sum over the other axis. An odd value's is 0 - sum and not -sum, because both sums begin with 0.
    TRACEXPR_ONCE constexpr node_id summed_along(swap const& s) {
        node const& n = g_[s.sum];
        attribute_span const attributes = g_.attributes_of(n);
        node_id out = summed_over(n, s.along);
        out = append_view(out_, op::squeeze, out, {&s.along, 1});
        if (s.sign == parity::odd) {
            node_id const operands[]{out_.append(op::literal, n.type, dims{}, {}, {}, {}), out};
            out = out_.append(op::subtract, n.type, dims(out_.shape_of(out)), operands);
        }
        return attributes[0] != 0 ? append_view(out_, op::expand_dims, out, {&attributes[1], 1}) : out;
    }

    graph_view g_;
    int p_ = 0, q_ = 0, rank_ = 0; // the axes that are swapped, and the number of axes
    buffer<parity> known_;
    buffer<swap> swaps_;
    graph out_;
    graph_copier copier_;
};

// Applies the pass to a simplified graph, and simplifies the result again if it has changed.
TRACEXPR_ONCE constexpr graph with_pair_sums(graph simplified, pass_options const& options) {
    if (!options.simplify) return simplified;
    pair_sums sums(simplified.view());
    if (!sums.find()) return simplified;
    return simplify(std::move(sums).rewritten().view(), options);
}

} // namespace tx::detail

TRACEXPR_END_PASSES
