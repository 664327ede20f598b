// This pass replaces computations that store large values by op::blocks: each large value is found in the plan, and a nest
// (block_nest.hpp) is grown around it.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/passes/block_nest.hpp>
#include <tracexpr/passes/plan.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

// Rewrites a graph with op::blocks in the place of a nest's nodes.
class nest_rewriting {
public:
    constexpr nest_rewriting(graph_view const& g, block_nest const& nest, std::int64_t block)
        : g_{g}, nest_{nest}, axes_(g), block_{block}, result_(g.size(), false) {
        for (node_id const id : nest_.joined) result_[index(id)] = true;
        for (node_id const id : nest_.stacked) result_[index(id)] = true;
    }
    constexpr ~nest_rewriting() {} // nvcc 13 does not take the implicit one for constexpr

    constexpr graph made() {
        graph out;
        graph_copier copier(g_, out);
        buffer<node_id> roots(g_.outputs);
        for (std::size_t i = 0; i < g_.size(); ++i)
            if (g_.nodes[i].code == op::parameter) roots.push_back(to_id(i));
        auto const follow = [&](node_id id, auto const& need) {
            if (result_[index(id)]) {
                for (nest_sequence const& input : nest_.sequences) need(input.node);
                for (node_id const input : nest_.shared) need(input);
                return;
            }
            for (std::size_t k = 0; k < g_[id].arity; ++k) need(g_.operand(g_[id], k));
        };
        buffer<bool> const needed = needed_nodes(g_, roots, follow);
        buffer<bool> waits(result_);
        for (std::size_t i = 0; i < g_.size(); ++i) {
            for (std::size_t k = 0; !waits[i] && k < g_.nodes[i].arity; ++k) waits[i] = waits[index(g_.operand(g_.nodes[i], k))];
            if (needed[i] && !waits[i]) copier.copy(to_id(i));
        }
        add_nest(out, copier);
        for (std::size_t i = 0; i < g_.size(); ++i)
            if (needed[i] && waits[i] && !result_[i]) copier.copy(to_id(i));
        copier.add_outputs(g_.outputs);
        return out;
    }

private:
    // Makes the numbers of the first `count` axes. Axes of extent 1 in front of the axis that is cut are squeezed from operands
    // before op::blocks, and from its body's results.
    static constexpr buffer<std::int64_t> leading_axes(int count) {
        buffer<std::int64_t> out;
        for (int axis = 0; axis < count; ++axis) out.push_back(axis);
        return out;
    }
    static constexpr node_id with_axes(graph& to, op view, node_id id, int count) {
        if (count == 0) return id;
        buffer<std::int64_t> const axes = leading_axes(count);
        axis_map const m = view_map(view, to.shape_of(id), axes);
        node_id const operand[]{id};
        return to.append(view, to[id].type, m.shape, operand, axes);
    }
    constexpr void add_nest(graph& out, graph_copier& copier) {
        buffer<node_id> operands;
        for (nest_sequence const& cut : nest_.sequences)
            operands.push_back(with_axes(out, op::squeeze, copier[cut.node], cut.axis));
        for (node_id const id : nest_.shared) operands.push_back(copier[id]);
        std::int64_t const rest = block_ > 0 ? nest_.extent % block_ : 0;
        block_form const blocks{nest_.joined.size(), nest_.sequences.size(), block_};
        buffer<std::int64_t> regions;
        regions.push_back(out.append_region(body(block_ > 0 ? block_ : dyn).view()));
        regions.push_back(rest > 0 ? out.append_region(body(rest).view()) : regions[0]);
        if (blocks.joined > 0) regions.push_back(out.append_region(join(out.view().region(regions[0])).view()));
        buffer<node_id> all(nest_.joined);
        for (node_id const id : nest_.stacked) all.push_back(id);
        node_id made = node_id::none;
        for (std::size_t k = 0; k < all.size(); ++k) {
            node_id const id = all[k];
            int const leading = k < blocks.joined ? 0 : nest_.blocked[index(id)].axis;
            dims shape = g_.shape_of(id);
            for (int a = 0; a < leading; ++a) shape = without_leading(shape);
            if (k == 0) {
                made = out.append(op::blocks, g_[id].type, shape, operands, regions, {0, blocks.bits()});
                copier.replace(id, unsqueezed(out, made, leading, g_.shape_of(id)));
                continue;
            }
            node_id const of[]{made};
            std::int64_t const number[]{static_cast<std::int64_t>(k)};
            node_id const part = out.append(op::result, g_[id].type, shape, of, number);
            copier.replace(id, unsqueezed(out, part, leading, g_.shape_of(id)));
        }
    }
    // Puts the leading axes back: where extents are known by a reshape, which needs no copy.
    static constexpr node_id unsqueezed(graph& out, node_id id, int leading, dims const& shape) {
        if (leading == 0 || !shape.is_static()) return with_axes(out, op::expand_dims, id, leading);
        buffer<std::int64_t> target;
        for (int a = 0; a < shape.rank; ++a) target.push_back(shape[a]);
        node_id const operand[]{id};
        return out.append(op::reshape, out[id].type, shape, operand, target);
    }

    constexpr graph body(std::int64_t block) const {
        graph out;
        graph_copier copier(g_, out, graph_copier::shapes::inferred);
        std::size_t number = 0;
        buffer<node_id> given;
        for (nest_sequence const& cut : nest_.sequences) {
            dims shape = g_.shape_of(cut.node);
            for (int a = 0; a < cut.axis; ++a) shape = without_leading(shape);
            shape[0] = block;
            node_id const parameter = out.append_parameter(g_[cut.node].type, shape, number++);
            given.push_back(with_axes(out, op::expand_dims, parameter, cut.axis));
        }
        for (node_id const id : nest_.shared) given.push_back(out.append_parameter(g_[id].type, g_.shape_of(id), number++));
        for (std::size_t i = 0; i < g_.size(); ++i)
            if (nest_.blocked[i].is_blocked()) copier.replace(to_id(i), member(out, copier, given, to_id(i), block));
        for (node_id const id : nest_.joined) out.add_output(copier[id]);
        for (node_id const id : nest_.stacked)
            out.add_output(with_axes(out, op::squeeze, copier[id], nest_.blocked[index(id)].axis));
        return out;
    }
    // Returns the body's parameter for an input, of which the node reads a block or the whole.
    constexpr node_id input(node_id id, block_need const& need, table_view<node_id> given) const {
        std::size_t k = 0;
        if (need.part == block_need::along) {
            while (nest_.sequences[k].node != id || nest_.sequences[k].axis != need.axis) ++k;
            return given[k];
        }
        while (nest_.shared[k] != id) ++k;
        return given[nest_.sequences.size() + k];
    }
    constexpr node_id member(graph& out, graph_copier& copier, table_view<node_id> given, node_id id, std::int64_t block) const {
        node const& n = g_[id];
        blocked_axis const blocked = nest_.blocked[index(id)];
        for (std::size_t k = 0; k < n.arity; ++k) {
            node_id const o = g_.operand(n, k);
            block_need const need = axes_.need_of(n, blocked, k);
            if (nest_.blocked[index(o)].is_blocked()) continue;
            if (!is_made_within(g_, o, need, nest_.is_open)) {
                copier.replace(o, input(o, need, given));
                continue;
            }
            node const own = g_[o];
            dims shape = g_.shape_of(o);
            if (need.part == block_need::along) shape[need.axis] = block;
            copier.replace(o, out.append(own.code, own.type, shape, {}, g_.attributes_of(own), {own.bits[0], own.bits[1]}));
        }
        bool const names_extent = (n.code == op::broadcast_to || n.code == op::reshape) && n.arity == 1;
        if (n.code == op::result) return append_result(out, copier[g_.operand(n, 0)], result_number(g_, n));
        if (!names_extent) return copier.copy(id);
        table_view<node_id> const operands = copier.operands_of(n);
        buffer<std::int64_t> target(g_.attributes_of(n));
        dims const& from_shape = g_.shape_of(g_.operand(n, 0));
        int const from = axes_.need_of(n, blocked, 0).axis;
        std::int64_t& own = target[static_cast<std::size_t>(blocked.axis)];
        if (n.code == op::reshape && from >= 0) {
            // A reshape that copies one extent by its axis must name its other extents.
            for (std::size_t a = 0; a < target.size(); ++a)
                if (g_.shape_of(id)[static_cast<int>(a)] != dyn) target[a] = g_.shape_of(id)[static_cast<int>(a)];
            own = -2 - from;
        } else if (own != -1 || from_shape.rank < 1) {
            own = block;
        }
        axis_map const m = view_map(n.code, out.shape_of(operands[0]), target);
        return out.append(n.code, n.type, m.shape, operands, target);
    }
    constexpr graph join(graph_view const& body) const {
        graph out;
        std::size_t const count = nest_.joined.size();
        buffer<node_id> given;
        for (std::size_t k = 0; k < 2 * count; ++k) {
            node const& piece = body[body.outputs[k % count]];
            given.push_back(out.append_parameter(piece.type, body.shape_of(piece), k));
        }
        for (std::size_t k = 0; k < count; ++k) {
            node_id const operands[]{given[k], given[k + count]};
            node const first = out[given[k]];
            out.add_output(out.append(block_axes::joined_by(g_[nest_.joined[k]]), first.type, first.shape, operands, {}, {}));
        }
        return out;
    }

    graph_view g_;
    block_nest const& nest_;
    block_axes axes_;
    std::int64_t block_;
    buffer<bool> result_;
};

// Is a buffer's value in the arena, and large? Row nests store only one row of some values: such a value is not large.
constexpr bool is_large(graph_view const& g, plan_view const& p, plan_buffer const& b, plan_target const& target) {
    std::int64_t const bytes = p.extents[index(b.node)].size() * static_cast<std::int64_t>(size_in_bytes(g[b.node].type));
    return b.place == buffer_place::arena && b.bytes >= target.cached_bytes && b.bytes >= bytes &&
           g[b.node].type != dtype::string;
}
// Does a plan store values so large that blocks of them may be better?
constexpr bool has_large_values(graph_view const& g, plan_view const& p, plan_target const& target) {
    for (plan_buffer const& b : p.buffers)
        if (is_large(g, p, b, target)) return true;
    return false;
}

// search_place is the state of a search: the best nest so far, how many large values may still be tried, and the value and axis
// that are tried next.
struct search_place {
    nest_facts best;
    std::int32_t seeds = 0, seed = -1, axis = 0;
};
template <template <class> class Table> struct search_tables {
    Table<blocked_axis> blocked; // for each node, how the best nest computes it
    Table<nest_sequence> sequences;
    Table<node_id> shared, joined, stacked;
    Table<bool> untried;
    Table<search_place> place; // one entry

    template <class F> constexpr auto with_tables(F f) const {
        return f(blocked, sequences, shared, joined, stacked, untried, place);
    }
    constexpr search_tables<table_view> view() const { return {blocked, sequences, shared, joined, stacked, untried, place}; }
};

// Finds the nest that saves the most memory.
class blocking {
public:
    // `known` says that the plan's extents are those of a call, or are told by types.
    constexpr blocking(graph_view const& g, clusters_view const& c, plan_view const& p, plan_target const& target, bool known)
        : g_{g}, c_{c}, p_{p}, target_{target}, known_{known} {
        untried_.assign(g_.size(), false);
        if (!has_large_values(g_, p_, target_)) return;
        for (std::size_t i = 0; i < g_.size(); ++i) untried_[i] = is_large(i);
    }
    // Resumes a search from its saved state.
    constexpr blocking(graph_view const& g, clusters_view const& c, plan_view const& p, plan_target const& target, bool known,
                       search_tables<table_view> const& so_far)
        : g_{g}, c_{c}, p_{p}, target_{target}, known_{known}, untried_(so_far.untried), place_{so_far.place[0]} {
        static_cast<nest_facts&>(best_) = place_.best;
        best_.blocked = so_far.blocked, best_.sequences = so_far.sequences;
        best_.shared = so_far.shared, best_.joined = so_far.joined, best_.stacked = so_far.stacked;
    }
    constexpr ~blocking() {} // nvcc 13 does not take the implicit one for constexpr

    constexpr bool find() {
        if (has_more()) search(~std::size_t{0});
        return has_found();
    }
    // Makes at most so many trials; each grows one nest, for one value and one axis.
    constexpr void search(std::size_t trials) {
        buffer<bool> large(g_.size(), false);
        for (std::size_t i = 0; i < g_.size(); ++i) large[i] = is_large(i);
        nest_growth growth(g_, p_.extents, c_.storage, {large.data(), large.size()}, target_.cached_bytes);
        for (; trials > 0 && has_more(); --trials) try_axis(growth);
    }
    // Moves on to the next trial; false if there is none.
    constexpr bool has_more() {
        for (;;) {
            if (place_.seed < 0 && !takes_next_seed()) return false;
            dims const& d = g_.shape_of(to_id(static_cast<std::size_t>(place_.seed)));
            while (place_.axis < d.rank && d[place_.axis] == 1) ++place_.axis;
            if (place_.axis < d.rank) return true;
            place_.seed = -1;
        }
    }
    constexpr bool has_found() const { return best_.saved_bytes > 0; }
    constexpr search_tables<buffer> so_far() const {
        search_tables<buffer> out{best_.blocked, best_.sequences, best_.shared, best_.joined, best_.stacked, untried_, {}};
        out.place.push_back(place_);
        out.place[0].best = best_;
        return out;
    }
    constexpr graph rewritten() const { return nest_rewriting(g_, best_, block_of(best_)).made(); }

private:
    static constexpr int most_seeds = 4;

    // Chooses the largest value that has not been tried and that the best nest doesn't compute.
    constexpr bool takes_next_seed() {
        for (place_.axis = 0; place_.seeds < most_seeds; ++place_.seeds) {
            std::size_t most = g_.size();
            for (std::size_t i = 0; i < g_.size(); ++i)
                if (untried_[i] && (most == g_.size() || bytes_of(i) > bytes_of(most))) most = i;
            if (most == g_.size()) return false;
            untried_[most] = false;
            if (has_found() && best_.blocked[most].is_blocked()) continue;
            place_.seed = static_cast<std::int32_t>(most);
            ++place_.seeds;
            return true;
        }
        return false;
    }
    constexpr void try_axis(nest_growth& growth) {
        block_nest nest = growth.grown(to_id(static_cast<std::size_t>(place_.seed)), place_.axis++);
        if (nest.saved_bytes > best_.saved_bytes && nest.saved_bytes >= target_.cached_bytes && fits(nest))
            best_ = std::move(nest);
    }

    constexpr std::int64_t bytes_of(std::size_t i) const {
        return p_.extents[i].size() * static_cast<std::int64_t>(size_in_bytes(g_.nodes[i].type));
    }
    constexpr bool is_large(std::size_t i) const {
        if (p_.buffer_of[i] < 0 || (c_.storage[i] != storage_of::loop && c_.storage[i] != storage_of::call)) return false;
        return g_.nodes[i].code != op::blocks && bytes_of(i) >= target_.cached_bytes &&
               detail::is_large(g_, p_, p_.buffers[static_cast<std::size_t>(p_.buffer_of[i])], target_);
    }
    // Returns how many indices a block has: as many as fit the cache, or somewhat fewer if the blocks are then all equal. 0 says
    // that the run chooses.
    constexpr std::int64_t block_of(block_nest const& nest) const {
        constexpr std::int64_t guess = 16; // where the bytes of an index are not known
        if (!known_) return nest.is_open ? 0 : guess;
        // The factor 2 is there because about half of a block's values are alive at a time.
        std::int64_t const room = 2 * target_.block_bytes * (nest.has_products ? 4 : 1);
        std::int64_t block = 1;
        while (block * 2 * nest.row_bytes <= room && block * 2 < nest.extent) block *= 2;
        for (std::int64_t even = block; even > block / 2 && even >= 16; even -= 16)
            if (nest.extent % even == 0) return even;
        return block;
    }
    constexpr bool fits(block_nest const& nest) const { return 2 * block_of(nest) <= nest.extent; }

    graph_view g_;
    clusters_view c_;
    plan_view p_;
    plan_target target_;
    bool known_;
    block_nest best_;
    buffer<bool> untried_;
    search_place place_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
