// This file tells which part of its operands a node needs for a block of indices along one of its axes.
#pragma once

#include <tracexpr/graph/regions.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// blocked_axis says how a node is computed block by block: `axis` is an axis of its result; or, if `joined`, each block computes
// a partial value of every element, the partial values are combined, and `axis` is an axis of the first operand.
struct blocked_axis {
    std::int8_t axis = -1; // -1: the node is not computed in blocks
    bool joined = false;

    constexpr bool is_blocked() const { return axis >= 0; }
    friend constexpr bool operator==(blocked_axis const&, blocked_axis const&) = default;
};

// block_need says what a block needs of an operand: a block along an axis (`along`), the whole operand (`whole`), or something
// that blocks can't give (`never`).
struct block_need {
    enum kind : std::uint8_t { along, whole, never } part = never;
    int axis = -1;

    static constexpr block_need of_axis(int axis) { return {along, axis}; }
    static constexpr block_need all() { return {whole, -1}; }
};

class block_axes {
public:
    constexpr explicit block_axes(graph_view const& g) : g_{g} {}

    TRACEXPR_ONCE constexpr block_need need_of(node const& n, blocked_axis blocked, std::size_t k) const {
        dims const &d = g_.shape_of(n), &from = g_.shape_of(g_.operand(n, k));
        int const axis = blocked.axis;
        if (d.rank < 0 || from.rank < 0 || n.type == dtype::token) return {};
        switch (info(n.code).kind) {
        case kind::pointwise: return aligned(d, from, axis, 0, 0);
        case kind::view: return through_view(n, axis, k);
        case kind::reduction: return block_need::of_axis(blocked.joined ? axis : behind_reduced(n, from, axis));
        case kind::arg_reduction: return blocked.joined ? block_need{} : block_need::of_axis(behind_reduced(n, from, axis));
        case kind::scan:
        case kind::order:
        case kind::structure: return along_other_axis(n, from, axis, k);
        case kind::lookup: return looked_up(n, axis, k);
        case kind::contraction:
            if (blocked.joined) return block_need::of_axis(from.rank - (k == 0 ? 1 : 2));
            if (axis == d.rank - (k == 0 ? 2 : 1)) return block_need::of_axis(from.rank - (k == 0 ? 2 : 1));
            return axis >= d.rank - 2 ? block_need::all() : aligned(d, from, axis, 2, 2);
        case kind::decomposition: // each matrix has results of its own
            return axis < d.rank - 2 ? aligned(d, from, axis, 2, n.code == op::solve && k == 3 ? 1 : 2) : block_need{};
        case kind::projection: {
            kind const of = info(g_[g_.operand(n, 0)].code).kind;
            return of == kind::decomposition && axis < from.rank - 2 ? block_need::of_axis(axis) : block_need{};
        }
        default: return {};
        }
    }
    // Returns how a node can be computed from blocks of its operand k along an axis, if at all.
    TRACEXPR_ONCE constexpr blocked_axis from_operand(node_id id, std::size_t k, int axis) const {
        node const& n = g_[id];
        if (joins(n, k, axis))
            return {static_cast<std::int8_t>(n.code == op::matmul ? g_.shape_of(g_.operand(n, 0)).rank - 1 : axis), true};
        dims const& d = g_.shape_of(n);
        for (int a = 0; a < d.rank; ++a) {
            blocked_axis const blocked{static_cast<std::int8_t>(a), false};
            block_need const need = need_of(n, blocked, k);
            if (need.part == block_need::along && need.axis == axis && is_possible(n, blocked)) return blocked;
        }
        return {};
    }
    TRACEXPR_ONCE constexpr bool is_possible(node const& n, blocked_axis blocked) const {
        dims const& d = g_.shape_of(n);
        if (!blocked.joined && d[blocked.axis] == 1) return false;
        for (std::size_t k = 0; k < n.arity; ++k)
            if (need_of(n, blocked, k).part == block_need::never) return false;
        return n.arity > 0;
    }
    // Returns the op that combines the partial values of two blocks.
    static constexpr op joined_by(node const& n) { return n.code == op::matmul ? op::add : info(n.code).combines.by; }

private:
    // A node is not joined if its floats are narrower than 32 bits: its sums would be rounded after each block.
    TRACEXPR_ONCE constexpr bool joins(node const& n, std::size_t k, int axis) const {
        if (is_floating(n.type) && size_in_bytes(n.type) < 4) return false;
        int const rank = g_.shape_of(g_.operand(n, k)).rank;
        if (n.code == op::matmul) return axis == rank - (k == 0 ? 1 : 2);
        return info(n.code).kind == kind::reduction && is_reduced(n, axis);
    }
    TRACEXPR_ONCE constexpr bool is_reduced(node const& n, int axis) const {
        for (std::int64_t const reduced_axis : g_.attributes_of(n).subspan(1))
            if (reduced_axis == axis) return true;
        return false;
    }
    // Returns the operand's axis that is axis `axis` of a reduction's result.
    TRACEXPR_ONCE constexpr int behind_reduced(node const& n, dims const& from, int axis) const {
        if (g_.attributes_of(n)[0]) return is_reduced(n, axis) ? -1 : axis;
        int left = axis;
        for (int a = 0; a < from.rank; ++a)
            if (!is_reduced(n, a) && left-- == 0) return a;
        return -1;
    }
    // The operand's axes are aligned with the result's from the right, except the last `result_trailing` axes of the result and
    // the last `operand_trailing` of the operand; an axis of extent 1 is repeated.
    TRACEXPR_ONCE static constexpr block_need aligned(dims const& d, dims const& from, int axis, int result_trailing,
                                                      int operand_trailing) {
        int const own = axis - (d.rank - result_trailing) + (from.rank - operand_trailing);
        if (own < 0 || (from[own] == 1 && d[axis] != 1)) return block_need::all();
        return from[own] == d[axis] ? block_need::of_axis(own) : block_need{};
    }
    TRACEXPR_ONCE constexpr block_need through_view(node const& n, int axis, std::size_t k) const {
        dims const &d = g_.shape_of(n), &from = g_.shape_of(g_.operand(n, k));
        if (n.code == op::barrier) return {};
        // A sum_to that is left in a graph with unknown extents sums nothing where the extents agree.
        if (n.code == op::sum_to) return d.rank == from.rank && d[axis] == from[axis] ? block_need::of_axis(axis) : block_need{};
        if (n.code == op::reshape) return n.arity == 1 ? reshaped(d, from, axis) : block_need{};
        if (k == 1) return block_need::of_axis(axis); // the operand whose shape the broadcast takes
        axis_map const m = view_map(n.code, from, g_.attributes_of(n), n.arity > 1 ? &g_.shape_of(g_.operand(n, 1)) : nullptr);
        block_need out = block_need::all();
        for (int s = 0; s < m.count; ++s) {
            if (m.steps[s].to != axis) continue;
            bool const same = m.steps[s].by == 1 && m.start[m.steps[s].from] == 0 &&
                              (m.steps[s].is_whole || (d[axis] != dyn && from[m.steps[s].from] == d[axis]));
            if (out.part != block_need::whole || !same) return {};
            out = block_need::of_axis(m.steps[s].from);
        }
        if (out.part == block_need::whole) return n.code == op::broadcast_to ? out : block_need{};
        // A diagonal or a window reads the same operand axis along two axes of the result.
        for (int s = 0; s < m.count; ++s)
            if (m.steps[s].from == out.axis && m.steps[s].to != axis) return {};
        return out;
    }
    // Returns the operand's axis with the same extent, and with as many elements before and behind it as the result's axis has.
    TRACEXPR_ONCE static constexpr block_need reshaped(dims const& d, dims const& from, int axis) {
        if (d[axis] == dyn && axis > 0) return {};
        std::int64_t before = 1;
        for (int a = 0; a < axis; ++a) before *= d[a];
        if (before < 0) return {};
        std::int64_t others = 1;
        for (int a = 0; a < from.rank && others <= before; others = from[a] == dyn ? before + 1 : others * from[a], ++a)
            if (others == before && from[a] == d[axis])
                return same_behind(d, from, axis, a) ? block_need::of_axis(a) : block_need{};
        return {};
    }
    TRACEXPR_ONCE static constexpr bool same_behind(dims const& d, dims const& from, int axis, int other) {
        std::int64_t mine = 1, its = 1;
        for (int a = axis + 1; a < d.rank; ++a)
            if (d[a] == dyn) return false;
            else mine *= d[a];
        for (int a = other + 1; a < from.rank; ++a)
            if (from[a] == dyn) return false;
            else its *= from[a];
        return mine == its;
    }
    // A scan, sort, concatenation or padding can be computed in blocks along every axis but its own.
    TRACEXPR_ONCE constexpr block_need along_other_axis(node const& n, dims const& from, int axis, std::size_t k) const {
        attribute_span const all = g_.attributes_of(n);
        if (n.code == op::pad) {
            if (k == 1) return from.rank == 0 ? block_need::all() : block_need{};
            bool const is_unpadded =
                all[2 * static_cast<std::size_t>(axis)] == 0 && all[2 * static_cast<std::size_t>(axis) + 1] == 0;
            return is_unpadded ? block_need::of_axis(axis) : block_need{};
        }
        if (all[0] == axis) return {};
        // the ranks to select are the same for all rows
        bool const are_of_all_rows = n.code == op::argselect && k == 1 && from.rank == 1;
        return are_of_all_rows ? block_need::all() : block_need::of_axis(axis);
    }
    TRACEXPR_ONCE constexpr block_need looked_up(node const& n, int axis, std::size_t k) const {
        int const along = static_cast<int>(g_.attributes_of(n)[0]), behind = g_.shape_of(g_.operand(n, 1)).rank;
        if (n.code == op::take_along_axis) return axis == along ? block_need{} : block_need::of_axis(axis);
        bool const by_index = axis >= along && axis < along + behind;
        if (k == 1) return by_index ? block_need::of_axis(axis - along) : block_need::all();
        return by_index ? block_need::all() : block_need::of_axis(axis < along ? axis : axis - behind + 1);
    }

    graph_view g_;
};

} // namespace tx::detail

TRACEXPR_END_PASSES
