// This file decides which values share a buffer: a value that a loop reads for the last time with one that the loop stores in its
// place; a tensor with parts of it (passes/parts.hpp). The graph alone decides that, not extents, because executors know from
// types where a buffer lies.
#pragma once

#include <tracexpr/passes/cluster.hpp>
#include <tracexpr/passes/parts.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

class buffer_sharing {
public:
    constexpr buffer_sharing(graph_view const& g, clusters_view const& c, programs_view const& lowered)
        : g_{g}, c_{c}, programs_{lowered}, owner_(g.size(), node_id::none), findings_{g.size()} {}
    constexpr ~buffer_sharing() {} // nvcc 13 does not take the implicit one for constexpr

    // Returns, for each node that has a buffer, the node whose buffer that is: itself; the operand of an alias or an update in
    // place; the whole that it is a part of; or the value that it overwrites. Without `overwrites` only the first two happen.
    // `move_rest` says that calls which make a whole copy the parts that are not stored there yet.
    constexpr buffer<node_id> run(bool overwrites, bool move_rest) {
        if (overwrites && move_rest) parts_.assign(g_.size(), {});
        find_owners();
        if (overwrites) {
            for (step const& s : c_.steps) {
                if (s.call != node_id::none) note_call(g_[s.call]);
                for (std::uint32_t l = 0; l < s.loops.count; ++l) note_loop(s, c_.order[s.loops.first + l]);
            }
            for (node_id id : g_.outputs) findings_.last_loop[index(owner_of(id))] = none;
            for (step const& s : c_.steps)
                for (std::uint32_t l = 0; l < s.loops.count; ++l) find_overwrites(s, c_.order[s.loops.first + l]);
        }
        for (node_id& id : owner_)
            while (id != node_id::none && findings_.overwritten_by[index(id)] != node_id::none)
                id = findings_.overwritten_by[index(id)];
        return std::move(owner_);
    }
    // Returns what each node is a part of; empty if there are no parts.
    constexpr buffer<stored_part> parts() && {
        if (has_parts_) return std::move(parts_);
        return {};
    }

private:
    static constexpr std::int32_t none = -1;
    static constexpr std::int64_t small_bytes = 1024; // a compiler may keep them in registers

    // `findings` says what is known of each buffer, by its owner.
    struct findings {
        constexpr explicit findings(std::size_t count)
            : last_loop(count, none), moved_in(count, none), overwritten_by(count, node_id::none) {}
        buffer<std::int32_t> last_loop; // the last loop that reads or writes it; none if a call or the caller does so later
        buffer<std::int32_t> moved_in;  // the first loop of the last step that read its elements in another order than the loop's
        buffer<node_id> overwritten_by; // the value that overwrites it
    };

    constexpr void find_owners() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            if (c_.storage[i] == storage_of::none) continue;
            node const& n = g_.nodes[i];
            node_id const self = to_id(i);
            bool follows = c_.storage[i] == storage_of::alias || updates_in_place(n, self);
            bool const has_boxes = info(n.code).kind == kind::structure || n.code == op::view_set;
            for (std::size_t k = 0; k < n.arity && has_boxes && !parts_.empty(); ++k) {
                node_id const part = without_unit_axes(g_.operand(n, k));
                if (!is_box(g_, n, k) || !may_be_part(part, g_.operand(n, k), self)) continue;
                if (follows && !is_free_for(part, g_.operand(n, 0))) {
                    if (!is_most_of(part, self)) continue;
                    follows = false;
                }
                parts_[index(part)] = {self, k};
                has_parts_ = true;
            }
            owner_[i] = follows ? owner_of(g_.operand(n, 0)) : self;
        }
        for (std::size_t i = 0; i < g_.size() && has_parts_; ++i)
            if (parts_[i].whole != node_id::none) owner_[i] = owner_of(parts_[i].whole);
    }
    // Returns the node whose buffer an operand of a call is, except for axes of extent 1.
    constexpr node_id without_unit_axes(node_id id) const {
        while (c_.storage[index(id)] == storage_of::none && (g_[id].code == op::expand_dims || g_[id].code == op::squeeze))
            id = g_.operand(g_[id], 0);
        return id;
    }
    // Does a loop store the value, for this call alone, in rows that stay long?
    constexpr bool may_be_part(node_id id, node_id operand, node_id call) {
        constexpr std::int64_t short_row = 64;
        if (c_.storage[index(id)] != storage_of::loop || g_[id].type != g_[call].type || is_small(id, 2 * small_bytes))
            return false;
        if (reads_.empty()) find_reads();
        reads const& of = reads_[index(id)];
        if (of.last != call || of.total != 1 || storing_step_[index(id)] < 0) return false;
        if (c_.steps[static_cast<std::size_t>(storing_step_[index(id)])].row_axes) return false;
        dims const &part = g_.shape_of(operand), &all = g_.shape_of(call);
        if (part.rank == 0) return false;
        std::int64_t const row = part[part.rank - 1], whole_row = all[all.rank - 1];
        return row == dyn || row >= short_row || (row == whole_row && part.rank == all.rank);
    }
    // From when the part is stored on, does nothing but the call read or write the tensor that it updates?
    constexpr bool is_free_for(node_id part, node_id base) const {
        std::int32_t const at = storing_step_[index(part)];
        return storing_step_[index(base)] < at && reads_[index(base)].before < at;
    }
    // Is the part more than half of the whole? Then copying the rest costs less than copying the part.
    constexpr bool is_most_of(node_id part, node_id whole) const {
        dims const &part_dims = g_.shape_of(part), &whole_dims = g_.shape_of(whole);
        auto const size_of = [](dims const& d) {
            double size = 1;
            for (int axis = 0; axis < d.rank; ++axis) size *= d[axis] == dyn ? 1024. : static_cast<double>(d[axis]);
            return size;
        };
        return 2 * size_of(part_dims) > size_of(whole_dims);
    }
    // May an update overwrite its tensor, because nothing else needs that tensor any more?
    constexpr bool updates_in_place(node const& n, node_id self) {
        if (info(n.code).kind != kind::update) return false;
        if (reads_.empty()) find_reads();
        node_id const base = g_.operand(n, 0);
        reads const& of = reads_[index(base)];
        return is_computed(base) && of.last == self && of.count == 1;
    }
    // `reads` holds the call that reads a value last, and how often it does; none if a loop or the caller reads the value later.
    // `before` is the last other step that reads it.
    struct reads {
        node_id last = node_id::none;
        int count = 0, total = 0;
        std::int32_t at = none, before = none;
    };
    constexpr void find_reads() {
        reads_.assign(g_.size(), {});
        storing_step_.assign(g_.size(), none);
        std::int32_t number = 0;
        auto const note = [&](node_id id, node_id by) {
            while (c_.storage[index(id)] == storage_of::alias || (c_.storage[index(id)] == storage_of::none && g_[id].arity > 0))
                id = g_.operand(g_[id], 0);
            reads& of = reads_[index(id)];
            bool const again = of.last == by && of.total > 0;
            of = {by, again ? of.count + 1 : 1, of.total + 1, number, again ? of.before : of.at};
        };
        for (step const& s : c_.steps) {
            if (s.call != node_id::none) storing_step_[index(s.call)] = number;
            for (std::size_t k = 0; s.call != node_id::none && k < value_operands(g_[s.call]); ++k)
                note(g_.operand(g_[s.call], k), s.call);
            for (std::uint32_t l = 0; l < s.loops.count; ++l)
                for (buffer_access const& a : accesses_of(c_.order[s.loops.first + l]))
                    if (a.buffer != node_id::none && !a.stores) note(a.buffer, node_id::none);
                    else if (a.stores) storing_step_[index(a.buffer)] = number;
            ++number;
        }
        for (node_id const id : g_.outputs) note(id, node_id::none);
        for (std::size_t i = 0; i < g_.size(); ++i)
            if (c_.storage[i] == storage_of::result) storing_step_[i] = storing_step_[index(g_.operand(g_.nodes[i], 0))];
    }
    constexpr bool is_computed(node_id id) const {
        storage_of const by = c_.storage[index(id)];
        return by == storage_of::loop || by == storage_of::call || by == storage_of::result;
    }
    constexpr node_id owner_of(node_id id) const { return owner_[index(id)]; }

    constexpr void note_call(node const& n) {
        for (std::size_t k = 0; k < value_operands(n); ++k) {
            node_id id = g_.operand(n, k);
            while (c_.storage[index(id)] == storage_of::none && g_[id].arity > 0) id = g_.operand(g_[id], 0);
            if (owner_of(id) != node_id::none) findings_.last_loop[index(owner_of(id))] = none;
        }
    }
    constexpr table_view<buffer_access> accesses_of(std::int32_t loop) const {
        stretch const s = programs_.loops[static_cast<std::size_t>(loop)].accesses;
        return {programs_.accesses.data() + s.first, s.count};
    }
    constexpr void note_loop(step const& s, std::int32_t loop) {
        for (buffer_access const& a : accesses_of(loop)) {
            if (a.buffer == node_id::none) continue;
            std::size_t const o = index(owner_of(a.buffer));
            findings_.last_loop[o] = loop;
            bool const has_other_rows = s.row_axes && c_.storage[index(a.buffer)] == storage_of::alias;
            if (!a.in_order || has_other_rows) findings_.moved_in[o] = c_.order[s.loops.first];
        }
    }

    // Each value that the loop stores may overwrite one that it reads, if both are accessed element by element, no other loop of
    // the step reads elements in another order, and it is the last read.
    constexpr void find_overwrites(step const& s, std::int32_t loop) {
        for (buffer_access const& store : accesses_of(loop)) {
            if (!store.stores || !store.in_order || is_small(store.buffer, small_bytes) || is_row(s, store.buffer)) continue;
            if (has_parts_ && parts_[index(store.buffer)].whole != node_id::none) continue;
            for (buffer_access const& load : accesses_of(loop)) {
                if (load.stores || load.buffer == node_id::none || load.type != store.type) continue;
                node_id const old = owner_of(load.buffer);
                bool const free = findings_.last_loop[index(old)] == loop &&
                                  findings_.moved_in[index(old)] != c_.order[s.loops.first] &&
                                  findings_.overwritten_by[index(old)] == node_id::none;
                if (!is_computed(old) || !free || is_row(s, old) || times_met(loop, old) > 1) continue;
                findings_.overwritten_by[index(old)] = store.buffer;
                break;
            }
        }
    }
    constexpr int times_met(std::int32_t loop, node_id owner) const {
        int times = 0;
        for (buffer_access const& a : accesses_of(loop))
            times += a.buffer != node_id::none && owner_of(a.buffer) == owner ? 1 : 0;
        return times;
    }
    // Is the value used by one nest alone? It is then a single row (passes/plan.hpp), which stays in the first-level cache.
    constexpr bool is_row(step const& s, node_id id) const {
        return s.row_axes && is_in(s, c_.loop_of[index(id)]) && is_in(s, findings_.last_loop[index(id)]);
    }
    constexpr bool is_in(step const& s, std::int32_t loop) const {
        auto const nest_of = [&](std::int32_t l) { return c_.loops[static_cast<std::size_t>(l)].nest; };
        return loop >= 0 && nest_of(loop) == nest_of(c_.order[s.loops.first]);
    }
    constexpr bool is_small(node_id id, std::int64_t bytes) const {
        dims const& d = g_.shape_of(id);
        return d.is_static() && d.size() * static_cast<std::int64_t>(size_in_bytes(g_[id].type)) < bytes;
    }

    graph_view g_;
    clusters_view c_;
    programs_view programs_;
    buffer<node_id> owner_;
    buffer<reads> reads_;               // filled when first needed
    buffer<std::int32_t> storing_step_; // the step that stores each value; filled with reads_
    buffer<stored_part> parts_;
    bool has_parts_ = false;
    findings findings_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
