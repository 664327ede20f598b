// Where each of a plan's intermediate values lies. A value lives from the step that writes it to the last that reads it; then its room is
// free, and a pointwise step may write over what it reads.
#pragma once

#include <tracexpr/passes/cluster.hpp>
#include <tracexpr/passes/plan_tables.hpp>

namespace tx::detail {

class arena_placement {
public:
    // steps: of the clusters, one for each of the plan's.
    constexpr arena_placement(plan& p, graph_view const& g, table_view<step> steps, bool reuses)
        : p_{p}, g_{g}, steps_{steps}, reuses_{reuses}, first_(p.buffers.size(), -1), last_(p.buffers.size(), -1), taken_over_(p.buffers.size(), false) {}

    constexpr void run() {
        for (std::size_t s = 0; s < p_.steps.size(); ++s) {
            plan_step const& step = p_.steps[s];
            if (step.call != node_id::none) {
                for (std::uint32_t k = 0; k < step.operands.count; ++k)
                    if (std::int32_t const b = p_.accesses[step.operands.first + k].buffer; b >= 0) touch(b, s);
                touch(p_.buffer_of[index(step.call)], s);
            }
            for (std::uint32_t l = 0; l < step.loops.count; ++l) {
                plan_loop const& loop = p_.loops[step.loops.first + l];
                for (std::uint32_t a = 0; a < loop.accesses.count; ++a) {
                    std::int32_t const b = p_.accesses[loop.accesses.first + a].buffer;
                    if (b >= 0) touch(b, s);
                }
            }
        }
        for (std::size_t b = 0; b < p_.buffers.size(); ++b)
            if (p_.buffers[b].place == buffer_place::output) take_over_for_output(static_cast<std::int32_t>(b));
        place(false);
        free_.clear();
        place(true);
        p_.arena_bytes.push_back(bytes_);
    }

private:
    static constexpr std::int64_t small_bytes = 8, line_bytes = 64;

    // What an output may be written over needs no room of its own: it lies where the output will be. Executors know from types where a
    // buffer lies, so extents mustn't decide this.
    constexpr void take_over_for_output(std::int32_t b) {
        while (first_[static_cast<std::size_t>(b)] >= 0) {
            std::int32_t const old = overwritten_by(b, static_cast<std::size_t>(first_[static_cast<std::size_t>(b)]));
            if (old < 0 || !has_static_shape(old) || !has_static_shape(b)) return;
            plan_buffer& moved = p_.buffers[static_cast<std::size_t>(old)];
            moved.place = buffer_place::output, moved.number = p_.buffers[static_cast<std::size_t>(b)].number;
            b = old;
        }
    }
    constexpr bool has_static_shape(std::int32_t b) const { return g_.shape_of(p_.buffers[static_cast<std::size_t>(b)].node).is_static(); }
    constexpr void touch(std::int32_t b, std::size_t at) {
        std::size_t const i = static_cast<std::size_t>(b);
        if (first_[i] < 0) first_[i] = static_cast<std::int32_t>(at);
        last_[i] = static_cast<std::int32_t>(at);
    }

    // First fit over free stretches, in steps' order. Small values lie side by side, behind those that have cache lines of their own.
    constexpr void place(bool small) {
        std::size_t const steps = p_.steps.size(), buffers = p_.buffers.size();
        buffer<std::int32_t> begins(steps, -1), ends(steps, -1), next_begin(buffers, -1), next_end(buffers, -1);
        for (std::size_t b = buffers; b-- > 0;) {
            if (!is_placed(b) || is_small(b) != small) continue;
            std::int32_t& begin = begins[static_cast<std::size_t>(first_[b])];
            next_begin[b] = begin, begin = static_cast<std::int32_t>(b);
            std::int32_t& end = ends[static_cast<std::size_t>(last_[b])];
            next_end[b] = end, end = static_cast<std::int32_t>(b);
        }
        for (std::size_t s = 0; s < steps; ++s) {
            for (std::int32_t b = begins[s]; b >= 0; b = next_begin[static_cast<std::size_t>(b)]) {
                std::int32_t const old = overwritten_by(b, s);
                if (old >= 0) taken_over_[static_cast<std::size_t>(old)] = true;
                offset(b) = old >= 0 ? offset(old) : taken_from_free(room_of(b));
            }
            for (std::int32_t b = ends[s]; b >= 0; b = next_end[static_cast<std::size_t>(b)])
                if (room_of(b) && reuses_ && !taken_over_[static_cast<std::size_t>(b)]) give_back({offset(b), room_of(b)});
        }
    }
    constexpr bool is_small(std::size_t b) const { return p_.buffers[b].bytes <= small_bytes; }
    constexpr bool is_placed(std::size_t b) const { return p_.buffers[b].place == buffer_place::arena && first_[b] >= 0; }
    constexpr std::int64_t& offset(std::int32_t b) { return p_.buffers[static_cast<std::size_t>(b)].offset; }
    constexpr std::int64_t bytes_of(std::int32_t b) const { return p_.buffers[static_cast<std::size_t>(b)].bytes; }
    constexpr std::int64_t room_of(std::int32_t b) const {
        std::int64_t const unit = is_small(static_cast<std::size_t>(b)) ? small_bytes : line_bytes;
        return (bytes_of(b) + unit - 1) / unit * unit;
    }

    // The buffer over which step s, a single loop, may write b: it reads it for the last time, each element before it writes the one of b, and
    // none twice. A row that isn't a multiple of all vectors' lanes has some elements computed twice.
    constexpr std::int32_t overwritten_by(std::int32_t b, std::size_t s) const {
        plan_step const& step = p_.steps[s];
        if (!reuses_ || step.call != node_id::none || step.loops.count != 1 || steps_[s].row_axes) return -1;
        plan_loop const& loop = p_.loops[step.loops.first];
        constexpr std::int64_t most_lanes = 64, small = 4096; // bytes that an executor may keep in registers
        if (bytes_of(b) < small || !loop.inner.rank || loop.inner.extent[loop.inner.rank - 1] % most_lanes != 0) return -1;
        std::int32_t const store = only_access(loop, b);
        if (store < 0) return -1;
        for (std::uint32_t k = 0; k < loop.accesses.count; ++k) {
            plan_access const& a = access(loop, static_cast<std::int32_t>(k));
            if (a.buffer < 0 || a.stores || !is_placed(static_cast<std::size_t>(a.buffer)) || taken_over_[static_cast<std::size_t>(a.buffer)]) continue;
            if (last_[static_cast<std::size_t>(a.buffer)] != static_cast<std::int32_t>(s) || bytes_of(a.buffer) != bytes_of(b)) continue;
            if (only_access(loop, a.buffer) == static_cast<std::int32_t>(k) && walks_alike(step, loop, a, access(loop, store)) && loads_before(loop, static_cast<std::int32_t>(k), store))
                return a.buffer;
        }
        return -1;
    }
    constexpr plan_access const& access(plan_loop const& loop, std::int32_t k) const { return p_.accesses[loop.accesses.first + static_cast<std::uint32_t>(k)]; }
    // The number of the loop's access to b; -1 where there are several.
    constexpr std::int32_t only_access(plan_loop const& loop, std::int32_t b) const {
        std::int32_t found = -1;
        for (std::uint32_t k = 0; k < loop.accesses.count; ++k) {
            if (access(loop, static_cast<std::int32_t>(k)).buffer != b) continue;
            if (found >= 0) return -1;
            found = static_cast<std::int32_t>(k);
        }
        return found;
    }
    static constexpr bool walks_alike(plan_step const& step, plan_loop const& loop, plan_access const& a, plan_access const& b) {
        if (a.type != b.type || a.offset != b.offset || a.mode != access_mode::contiguous || b.mode != access_mode::contiguous) return false;
        for (int axis = 0; axis < step.outer.rank; ++axis)
            if (a.outer[axis] != b.outer[axis]) return false;
        for (int axis = 0; axis < loop.inner.rank; ++axis)
            if (a.inner[axis] != b.inner[axis]) return false;
        return true;
    }
    constexpr bool loads_before(plan_loop const& loop, std::int32_t load, std::int32_t store) const {
        bool stored = false;
        for (std::uint32_t k = 0; k < loop.lines.count; ++k) {
            kernel_line const& l = p_.lines[loop.lines.first + k];
            if (l.role == role::store && l.b == store) stored = true;
            if (l.role == role::load && l.a == load && stored) return false;
        }
        return true;
    }

    struct room {
        std::int64_t offset = 0, bytes = 0;
    };
    // The first stretch that is large enough, else one at the end of the arena, which grows.
    constexpr std::int64_t taken_from_free(std::int64_t bytes) {
        std::int64_t offset = bytes_;
        for (room& r : free_) {
            if (r.bytes < bytes && r.offset + r.bytes != bytes_) continue;
            offset = r.offset;
            std::int64_t const used = r.bytes < bytes ? r.bytes : bytes;
            r.offset += used, r.bytes -= used;
            break;
        }
        if (offset + bytes > bytes_) bytes_ = offset + bytes;
        return offset;
    }
    // Neighbours become one, so that a large buffer finds room where several small ones were.
    constexpr void give_back(room all) {
        for (std::size_t k = free_.size(); k-- > 0;) {
            room const r = free_[k];
            bool const before = r.offset + r.bytes == all.offset, behind = all.offset + all.bytes == r.offset;
            if (!before && !behind && r.bytes > 0) continue;
            if (before && r.bytes > 0) all.offset = r.offset;
            if (r.bytes > 0) all.bytes += r.bytes;
            free_[k] = free_.back();
            free_.pop_back();
        }
        free_.push_back(all);
    }

    plan& p_;
    graph_view g_;
    table_view<step> steps_;
    bool reuses_;
    buffer<std::int32_t> first_, last_; // steps that touch each buffer
    buffer<bool> taken_over_;           // of each buffer: does another one lie in its place?
    buffer<room> free_;
    std::int64_t bytes_ = 0;
};

} // namespace tx::detail
