// This file chooses which nodes are computed together, a block of indices at a time, so that a large value never lies in memory
// whole. Such a group of nodes is a nest.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/passes/block_axes.hpp>
#include <tracexpr/passes/cluster_tables.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// The search for the best nest compares these facts; the nest's nodes are not among them.
struct nest_facts {
    std::int64_t extent = 0;      // extent of the axis that is cut
    bool is_open = false;         // the extent is unknown, and `extent` is an assumption
    std::int64_t row_bytes = 0;   // bytes that the nest stores for one index of the axis
    std::int64_t saved_bytes = 0; // bytes of large values that need not be stored any more
    bool has_products = false;
};
struct nest_sequence {
    node_id node = node_id::none;
    int axis = 0;
};
struct block_nest : nest_facts {
    buffer<blocked_axis> blocked;    // for each node, how it is computed in blocks
    buffer<nest_sequence> sequences; // inputs that are read in blocks
    buffer<node_id> shared;          // inputs that each block reads whole
    buffer<node_id> joined, stacked; // results: combined from all blocks, or put one after another
};

// A literal, or an iota that counts along another axis of known extent, is made again in the nest's body instead of being an
// input.
TRACEXPR_ONCE constexpr bool is_made_within(graph_view const& g, node_id id, block_need const& need, bool is_open) {
    node const& n = g[id];
    if (n.code == op::literal) return true;
    return n.code == op::iota && n.arity == 0 &&
           !(need.part == block_need::along && (is_open || g.attributes_of(n)[0] == need.axis));
}

class nest_growth {
public:
    // large[i] says that node i is stored in the arena, and is so large that it shouldn't be. Nodes that aren't stored count as
    // large from `bytes` bytes on.
    constexpr nest_growth(graph_view const& g, table_view<dims> extents, table_view<storage_of> storage, table_view<bool> large,
                          std::int64_t bytes)
        : g_{g}, extents_{extents}, storage_{storage}, large_{large}, bytes_{bytes}, axes_(g), live_(needed_nodes(g, g.outputs)) {
        note_users();
        note_rows();
    }
    constexpr ~nest_growth() {} // nvcc 13 does not take the implicit one for constexpr

    // Returns the nest around a large value, for blocks along an axis of it. It has no results if there is none.
    TRACEXPR_ONCE constexpr block_nest grown(node_id seed, int axis) {
        blocked_.assign(g_.size(), {});
        excluded_.assign(g_.size(), false);
        depends_on_nest_.assign(g_.size(), false);
        pending_.clear();
        settled_ = 0;
        block_nest none;
        if (!add(seed, {static_cast<std::int8_t>(axis), false})) return none;
        constexpr int most_rounds = 200;
        int round = 0;
        do expand();
        while (++round < most_rounds && resolves_conflict());
        if (round == most_rounds || !blocked_[index(seed)].is_blocked()) return none;
        return formed(seed, axis);
    }

private:
    TRACEXPR_ONCE constexpr std::int64_t bytes_of(node_id id) const {
        return extents_[index(id)].size() * static_cast<std::int64_t>(size_in_bytes(g_[id].type));
    }
    constexpr bool is_big(node_id id) const { return bytes_of(id) >= bytes_; }
    // Do loops store so many values with as many elements as this one that these are large together?
    TRACEXPR_ONCE constexpr bool is_of_big_rows(node_id id) const {
        for (rows const& r : rows_)
            if (r.elements == extents_[index(id)].size()) return r.bytes >= bytes_;
        return false;
    }
    TRACEXPR_ONCE constexpr bool is_repeated_number(node_id id) const {
        return g_[id].code == op::broadcast_to && g_[g_.operand(g_[id], 0)].code == op::literal;
    }
    constexpr bool is_leaf(node_id id) const { return info(g_[id].code).kind == kind::leaf; }
    constexpr bool is_blocked(node_id id) const { return blocked_[index(id)].is_blocked(); }

    TRACEXPR_ONCE constexpr void note_rows() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            if (!live_[i] || storage_[i] != storage_of::loop) continue;
            std::size_t k = 0;
            while (k < rows_.size() && rows_[k].elements != extents_[i].size()) ++k;
            if (k == rows_.size()) rows_.push_back({extents_[i].size(), 0});
            rows_[k].bytes += bytes_of(to_id(i));
        }
    }
    TRACEXPR_ONCE constexpr void note_users() {
        first_user_.assign(g_.size() + 1, 0);
        for (std::size_t i = 0; i < g_.size(); ++i)
            for (std::size_t k = 0; live_[i] && k < g_.nodes[i].arity; ++k) ++first_user_[index(g_.operand(g_.nodes[i], k)) + 1];
        for (std::size_t i = 0; i < g_.size(); ++i) first_user_[i + 1] += first_user_[i];
        users_.assign(first_user_[g_.size()], {});
        buffer<std::uint32_t> next(first_user_);
        for (std::size_t i = 0; i < g_.size(); ++i)
            for (std::size_t k = 0; live_[i] && k < g_.nodes[i].arity; ++k)
                users_[next[index(g_.operand(g_.nodes[i], k))]++] = {to_id(i), static_cast<std::uint32_t>(k)};
    }

    // Is the nest worth its traffic with this node in it? Combined results are read and written with each block, and every block
    // of a product reads a whole matrix, so both must be small.
    TRACEXPR_ONCE constexpr bool is_worth(node_id id, blocked_axis blocked) const {
        constexpr std::int64_t most_joined = std::int64_t{1} << 18, most_shared = std::int64_t{1} << 20;
        node const& n = g_[id];
        if (blocked.joined) return bytes_of(id) <= most_joined;
        for (std::size_t k = 0; n.code == op::matmul && k < 2; ++k)
            if (axes_.need_of(n, blocked, k).part == block_need::whole && bytes_of(g_.operand(n, k)) > most_shared) return false;
        return true;
    }
    TRACEXPR_ONCE constexpr bool add(node_id id, blocked_axis blocked) {
        if (is_blocked(id)) return blocked_[index(id)] == blocked;
        if (excluded_[index(id)] || !axes_.is_possible(g_[id], blocked) || !is_worth(id, blocked)) return false;
        set(id, blocked);
        pending_.push_back(id);
        return true;
    }
    TRACEXPR_ONCE constexpr void expand() {
        while (!pending_.empty()) {
            node_id const id = pending_.back();
            pending_.pop_back();
            blocked_axis const blocked = blocked_[index(id)];
            if (!blocked.is_blocked()) continue;
            node const& n = g_[id];
            for (std::size_t k = 0; k < n.arity; ++k) {
                node_id const o = g_.operand(n, k);
                block_need const need = axes_.need_of(n, blocked, k);
                storage_of const s = storage_[index(o)];
                bool const is_here = n.code == op::result || is_big(o) || s == storage_of::none || s == storage_of::result ||
                                     (s == storage_of::alias && is_blocked(g_.operand(g_[o], 0))) ||
                                     (s == storage_of::loop && is_of_big_rows(o)) || is_repeated_number(o);
                if (need.part == block_need::along && !is_leaf(o) && is_here)
                    add(o, {static_cast<std::int8_t>(need.axis), false});
            }
            bool const has_parts = info(n.code).kind == kind::decomposition; // op::result nodes take its further results
            if (blocked.joined || !(is_big(id) || has_parts || is_of_big_rows(id))) continue;
            for (std::uint32_t u = first_user_[index(id)]; u < first_user_[index(id) + 1]; ++u) {
                blocked_axis const of_user = axes_.from_operand(users_[u].node, users_[u].operand, blocked.axis);
                if (of_user.is_blocked()) add(users_[u].node, of_user);
            }
        }
    }
    // Resolves the first conflict and returns true, or returns false if there is none. What a block needs must be there before
    // the first block runs, or be made by the same block. Where it isn't, the operand joins the nest, or else the node leaves it.
    // The search goes on at `settled_`: no node before it has a conflict.
    TRACEXPR_ONCE constexpr bool resolves_conflict() {
        for (; settled_ < g_.size(); ++settled_) {
            std::size_t const i = settled_;
            node const& n = g_.nodes[i];
            blocked_axis const blocked = blocked_[i];
            depends_on_nest_[i] = false;
            for (std::size_t k = 0; k < n.arity; ++k) {
                node_id const o = g_.operand(n, k);
                bool const depends = is_blocked(o) || depends_on_nest_[index(o)];
                // A further result can't be computed in blocks without the node that computes it.
                if (n.code == op::result && blocked.is_blocked() && !is_blocked(o)) {
                    leave(to_id(i));
                    return true;
                }
                if (!depends) continue;
                if (!blocked.is_blocked()) {
                    // A node stays in the nest only if all of its results that are needed are computed in blocks.
                    if (n.code == op::result && live_[i] && is_blocked(o)) {
                        leave(o);
                        return true;
                    }
                    depends_on_nest_[i] = true;
                    break;
                }
                block_need const need = axes_.need_of(n, blocked, k);
                blocked_axis const wanted{static_cast<std::int8_t>(need.axis), false};
                if (need.part == block_need::along && blocked_[index(o)] == wanted) continue;
                if (need.part != block_need::along || !depends_on_nest_[index(o)] || !add(o, wanted)) leave(to_id(i));
                return true;
            }
        }
        return false;
    }
    constexpr void set(node_id id, blocked_axis blocked) {
        blocked_[index(id)] = blocked;
        if (index(id) < settled_) settled_ = index(id);
    }
    constexpr void leave(node_id id) {
        set(id, {});
        excluded_[index(id)] = true;
    }

    TRACEXPR_ONCE constexpr bool leads(node_id id, int axis) const {
        for (int a = 0; a < axis; ++a)
            if (g_.shape_of(id)[a] != 1) return false;
        return true;
    }
    // Returns the cost of computing one element of each blocked node once more.
    TRACEXPR_ONCE constexpr buffer<std::int32_t> costs() const {
        constexpr std::int32_t saturated = 1000, longest = 16;
        buffer<std::int32_t> out(g_.size(), 0);
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (!blocked_[i].is_blocked()) continue;
            std::int64_t cost = 0;
            for (std::size_t k = 0, count = value_operands(n); k < count; ++k) cost += out[index(g_.operand(n, k))];
            switch (info(n.code).kind) {
            case kind::pointwise: cost += info(n.code).cost; break;
            case kind::view: break;
            case kind::contraction:
            case kind::reduction: {
                std::int64_t const all = extents_[index(g_.operand(n, 0))].size(), made = extents_[i].size();
                std::int64_t const each = n.code == op::matmul
                                              ? extents_[index(g_.operand(n, 0))][extents_[index(g_.operand(n, 0))].rank - 1]
                                          : made > 0 ? all / made
                                                     : saturated;
                cost = each <= longest ? (cost + 1) * each : saturated;
                break;
            }
            default: cost = saturated;
            }
            out[i] = static_cast<std::int32_t>(cost < saturated ? cost : saturated);
        }
        return out;
    }
    TRACEXPR_ONCE constexpr block_nest formed(node_id seed, int axis) const {
        constexpr std::int32_t cheap = 24;
        block_nest out;
        out.extent = extents_[index(seed)][axis];
        out.is_open = g_.shape_of(seed)[axis] == dyn;
        buffer<std::int32_t> const cost = costs();
        // used: outside of the nest; wanted: by the nest, or as a result of it
        buffer<bool> used(g_.size(), false), wanted(g_.size(), false);
        for (node_id const id : g_.outputs) used[index(id)] = true;
        for (std::size_t i = 0; i < g_.size(); ++i)
            for (std::size_t k = 0, count = operands_that_count(g_.nodes[i]); live_[i] && !blocked_[i].is_blocked() && k < count;
                 ++k)
                used[index(g_.operand(g_.nodes[i], k))] = true;
        // Values that are small or costly to compute become results; large and cheap ones are computed again by whoever needs
        // them outside.
        for (std::size_t i = g_.size(); i-- > 0;) {
            node_id const id = to_id(i);
            if (!blocked_[i].is_blocked()) continue;
            bool const is_recomputed = !blocked_[i].joined && cost[i] <= cheap && (is_big(id) || !leads(id, blocked_[i].axis));
            if (used[i] && !is_recomputed) {
                if (!blocked_[i].joined && !leads(id, blocked_[i].axis)) return {};
                (blocked_[i].joined ? out.joined : out.stacked).push_back(id);
                wanted[i] = true;
            }
            for (std::size_t k = 0; wanted[i] && k < g_.nodes[i].arity; ++k) wanted[index(g_.operand(g_.nodes[i], k))] = true;
            bool const stays = wanted[i] && !used[i];
            if (stays && large_[i]) out.saved_bytes += bytes_of(id);
            if (wanted[i] && storage_[i] != storage_of::none && storage_[i] != storage_of::alias && !blocked_[i].joined)
                out.row_bytes += bytes_of(id) / extents_[i][blocked_[i].axis];
            out.has_products = out.has_products || (wanted[i] && g_.nodes[i].code == op::matmul);
        }
        out.blocked.assign(g_.size(), {});
        for (std::size_t i = 0; i < g_.size(); ++i)
            if (wanted[i]) out.blocked[i] = blocked_[i];
        if (!found_inputs(out)) return {};
        return out;
    }
    // A node that needs only the shape of its operand doesn't count as a user of its value.
    constexpr std::size_t operands_that_count(node const& n) const {
        return info(n.code).kind == kind::projection ? 1 : value_operands(n);
    }
    // Does a view repeat elements, as windows do? A loop reads them in place, but an input of a nest would be stored.
    TRACEXPR_ONCE constexpr bool repeats_elements(node_id id) const {
        std::int64_t const all = extents_[index(id)].size();
        while (storage_[index(id)] == storage_of::none && info(g_[id].code).kind == kind::view) id = g_.operand(g_[id], 0);
        return extents_[index(id)].size() < all;
    }
    TRACEXPR_ONCE constexpr bool found_inputs(block_nest& out) const {
        buffer<std::uint16_t> visited(g_.size(), 0); // bit 0: read whole; bit 1 + a: read in blocks along axis a
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            for (std::size_t k = 0; out.blocked[i].is_blocked() && k < n.arity; ++k) {
                node_id const o = g_.operand(n, k);
                block_need const need = axes_.need_of(n, out.blocked[i], k);
                if (out.blocked[index(o)].is_blocked() || is_made_within(g_, o, need, out.is_open)) continue;
                // The copier knows one operand in the place of another, so a node can't read the same operand both whole and in
                // blocks.
                for (std::size_t j = 0; j < k; ++j)
                    if (g_.operand(n, j) == o && axes_.need_of(n, out.blocked[i], j).part != need.part) return false;
                bool const is_cut = need.part == block_need::along;
                auto const as = static_cast<std::uint16_t>(1u << (is_cut ? need.axis + 1 : 0));
                if (visited[index(o)] & as) continue;
                if (g_[o].type == dtype::token) return false;
                if (is_cut && (!leads(o, need.axis) || extents_[index(o)][need.axis] != out.extent)) return false;
                if (!visited[index(o)] && repeats_elements(o)) out.saved_bytes -= bytes_of(o);
                visited[index(o)] = static_cast<std::uint16_t>(visited[index(o)] | as);
                if (is_cut) out.sequences.push_back({o, need.axis});
                else out.shared.push_back(o);
            }
        }
        return !out.sequences.empty() && out.sequences.size() + out.shared.size() < 1000;
    }

    struct use {
        node_id node = node_id::none;
        std::uint32_t operand = 0;
    };
    struct rows {
        std::int64_t elements = 0, bytes = 0;
    };
    graph_view g_;
    table_view<dims> extents_;
    table_view<storage_of> storage_;
    table_view<bool> large_;
    std::int64_t bytes_;
    block_axes axes_;
    buffer<bool> live_;
    buffer<std::uint32_t> first_user_;
    buffer<use> users_;
    buffer<rows> rows_; // bytes that loops store, by the number of elements of a value
    buffer<blocked_axis> blocked_;
    buffer<bool> excluded_;
    buffer<bool> depends_on_nest_; // for settled nodes: does it depend on a result of the nest?
    std::size_t settled_ = 0;
    buffer<node_id> pending_;
};

} // namespace tx::detail

TRACEXPR_END_PASSES
