// This pass makes the plan of a graph's clusters for given extents: it places buffers and lays out the loops' axes and accesses.
#pragma once

#include <tracexpr/graph/regions.hpp>
#include <tracexpr/passes/arena.hpp>
#include <tracexpr/passes/lower.hpp>
#include <tracexpr/passes/sharing.hpp>
#include <tracexpr/passes/strategies.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {
namespace detail::inline TRACEXPR_TARGET {

// Makes a plan out of clusters and the programs of their loops. The class `choosing` (strategies.hpp) then picks the strategies.
class planning {
public:
    constexpr planning(graph_view const& g, clusters_view const& c, programs_view const& lowered, table_view<dims> extents,
                       pass_options const& options, plan_target const& target)
        : g_{g}, c_{c}, extents_{extents}, options_{options}, target_{target}, programs_{lowered} {}
    constexpr ~planning() {} // nvcc 13 does not take the implicit one for constexpr

    constexpr plan run() {
        place_buffers();
        find_local_buffers();
        for (step const& s : c_.steps) add_step(s);
        arena_placement(out_, options_.reuse).run();
        for (dims const& d : extents_) out_.extents.push_back(d);
        return std::move(out_);
    }

private:
    constexpr std::int64_t bytes_of(std::size_t node) const {
        return extents_[node].size() * static_cast<std::int64_t>(size_in_bytes(g_.nodes[node].type));
    }
    constexpr void place_buffers() {
        buffer_sharing sharing(g_, c_, programs_);
        buffer<node_id> const owners = sharing.run(options_.reuse, !options_.points);
        parts_ = std::move(sharing).parts();
        if (!parts_.empty()) place_parts();
        out_.buffer_of.assign(g_.size(), -1);
        for (std::size_t i = 0; i < g_.size(); ++i) {
            if (owners[i] == node_id::none) continue;
            std::int32_t& held = out_.buffer_of[index(owners[i])];
            if (held < 0) held = add_buffer(owners[i]);
            out_.buffer_of[i] = held;
        }
        for (std::size_t k = 0; k < g_.outputs.size(); ++k) {
            std::int32_t const held = out_.buffer_of[index(g_.outputs[k])];
            plan_buffer& b = out_.buffers[static_cast<std::size_t>(held)];
            if (b.place == buffer_place::arena) {
                b.place = buffer_place::output;
                b.number = static_cast<std::int32_t>(k);
            } else {
                out_.copies.push_back({held, static_cast<std::int32_t>(k)});
            }
        }
    }

    // Lets loops store parts of a whole directly in the whole's buffer.
    constexpr void place_parts() {
        for (buffer_access const& a : programs_.accesses) accesses_.push_back(a);
        for (std::size_t l = 0; l < c_.loops.size(); ++l)
            for (std::uint32_t k = 0; k < programs_.loops[l].accesses.count; ++k) {
                buffer_access& a = accesses_[programs_.loops[l].accesses.first + k];
                if (!a.stores || parts_[index(a.buffer)].whole == node_id::none) continue;
                strided_place const at = place_of_part(g_, a.buffer, parts_[index(a.buffer)], extents_);
                node const& n = g_[a.buffer];
                std::uint32_t const reduced = is_reduced_by_loop(n.code, c_.storage[index(a.buffer)]) ? c_.loops[l].reduced : 0;
                bool const keeps = reduced && g_.attributes_of(n)[0] != 0;
                a.offset = at.offset;
                for (int axis = 0, own = 0; axis < extents_[c_.loops[l].space].rank; ++axis) {
                    bool const is_reduced = reduced >> axis & 1u;
                    a.stride[axis] = is_reduced ? 0 : at.stride[own];
                    own += !is_reduced || keeps;
                }
            }
        programs_.accesses = accesses_;
    }

    constexpr std::int32_t add_buffer(node_id id) {
        node const& n = g_[id];
        plan_buffer b;
        b.node = id;
        b.bytes = bytes_of(index(id));
        if (n.code == op::parameter) b.place = buffer_place::argument, b.number = static_cast<std::int32_t>(n.bits[0]);
        else if (n.code == op::capture) b.place = buffer_place::capture, b.number = static_cast<std::int32_t>(n.bits[0]);
        else if (n.code == op::constant) b.place = buffer_place::constant, b.number = static_cast<std::int32_t>(n.bits[0]);
        else b.place = buffer_place::arena;
        out_.buffers.push_back(b);
        return static_cast<std::int32_t>(out_.buffers.size()) - 1;
    }

    // Finds buffers that only one row nest touches. They hold a single row, because each row of the nest overwrites the last.
    constexpr void find_local_buffers() {
        constexpr std::int32_t unseen = -1, several = -2;
        only_step_.assign(out_.buffers.size(), unseen);
        walked_forward_.assign(out_.buffers.size(), 0);
        auto const touch = [&](node_id buffer, std::int32_t at) {
            std::int32_t const b = out_.buffer_of[index(buffer)];
            if (b < 0) return;
            std::int32_t& only = only_step_[static_cast<std::size_t>(b)];
            only = only == unseen || only == at ? at : several;
        };
        for (std::size_t i = 0; i < g_.size(); ++i)
            if (c_.storage[i] == storage_of::alias || c_.storage[i] == storage_of::result) touch(to_id(i), several);
        for (std::size_t s = 0; s < c_.steps.size(); ++s) {
            step const& of = c_.steps[s];
            if (of.call != node_id::none) {
                node const& n = g_[of.call];
                touch(of.call, several);
                for (std::size_t k = 0; k < value_operands(n); ++k)
                    touch(access_through_views(g_, c_, extents_, g_.operand(n, k)).buffer, several);
            }
            for (std::uint32_t l = 0; l < of.loops.count; ++l) {
                loop_program const& p = programs_.loops[static_cast<std::size_t>(c_.order[of.loops.first + l])];
                for (std::uint32_t k = 0; k < p.accesses.count; ++k) {
                    node_id const b = programs_.accesses[p.accesses.first + k].buffer;
                    if (b != node_id::none) touch(b, of.row_axes ? static_cast<std::int32_t>(s) : several);
                }
            }
        }
        for (std::size_t b = 0; b < out_.buffers.size(); ++b) {
            plan_buffer& of = out_.buffers[b];
            if (of.place != buffer_place::arena || !options_.reuse) only_step_[b] = several;
            if (only_step_[b] < 0) continue;
            step const& nest = c_.steps[static_cast<std::size_t>(only_step_[b])];
            of.bytes = static_cast<std::int64_t>(size_in_bytes(g_[of.node].type)) * row_of(nest, of.node).size();
        }
    }
    // Returns a node's extents within one row of a nest; axes that are not the rows' are 1.
    constexpr dims row_of(step const& nest, node_id id) const {
        dims d = extents_[index(id)];
        for (int axis = 0; axis < d.rank; ++axis)
            if (!is_row_axis(extents_[nest.space], nest.row_axes, d.rank, axis)) d[axis] = 1;
        return d;
    }

    constexpr void add_step(step const& s) {
        plan_step out;
        out.call = s.call;
        out.loops.first = static_cast<std::uint32_t>(out_.loops.size());
        out.loops.count = s.loops.count;
        if (s.call != node_id::none) add_operands(g_[s.call], out);
        for (std::uint32_t k = 0; k < s.loops.count; ++k) add_loop(static_cast<std::size_t>(c_.order[s.loops.first + k]), s, out);
        out_.steps.push_back(out);
    }

    constexpr void add_operands(node const& n, plan_step& out) {
        // A call without a buffer checks the indices of a lookup in a loop, so its table is left out.
        std::size_t const first = out_.buffer_of[index(out.call)] < 0 ? 1 : 0;
        out.operands.first = static_cast<std::uint32_t>(out_.accesses.size());
        for (std::size_t k = first, count = value_operands(n); k < count; ++k) {
            buffer_access const a = access_through_views(g_, c_, extents_, g_.operand(n, k));
            plan_access w;
            w.buffer = out_.buffer_of[index(a.buffer)];
            bool const is_part = !parts_.empty() && parts_[index(a.buffer)].whole == out.call;
            strided_place at{a.offset};
            for (int axis = 0; axis < max_rank; ++axis) at.stride[axis] = a.stride[axis];
            if (is_part) at = place_of_box(g_, n, out.call, k, extents_);
            w.type = a.type, w.offset = at.offset;
            for (int axis = 0; axis < max_rank; ++axis) w.outer[axis] = at.stride[axis];
            out_.accesses.push_back(w);
        }
        for (std::size_t k = 1, count = result_count(g_, n); k < count; ++k) {
            plan_access w;
            w.stores = true;
            if (node_id const id = result_of(out.call, k); id != node_id::none)
                w.type = g_[id].type, w.buffer = out_.buffer_of[index(id)];
            out_.accesses.push_back(w);
        }
        out.operands.count = static_cast<std::uint32_t>(out_.accesses.size()) - out.operands.first;
    }
    // Returns the node of a call's result k, or none if nothing needs it.
    constexpr node_id result_of(node_id call, std::size_t k) const {
        for (std::size_t i = index(call) + 1; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (n.code == op::result && g_.operand(n, 0) == call && result_number(g_, n) == k) return to_id(i);
        }
        return node_id::none;
    }

    // Adds a loop, with its axes in the order in which they are walked: first outer axes (those that remain, around a reduction),
    // then inner ones, with the kernel's axis last. In a row nest the outer axes are the nest's.
    constexpr void add_loop(std::size_t number, step const& of, plan_step& s) {
        loop_info const& info = c_.loops[number];
        loop_program const& p = programs_.loops[number];
        dims const& space = extents_[info.space];
        int outer[max_rank]{}, inner[max_rank]{}, outers = 0, inners = 0;
        auto const is_in_row = [&](int axis) { return is_row_axis(extents_[of.space], of.row_axes, space.rank, axis); };
        int const along = !of.row_axes ? p.inner : space.rank > 0 && is_in_row(space.rank - 1) ? space.rank - 1 : -1;
        bool const columns = !of.row_axes && info.reduced && along >= 0 && !(info.reduced >> along & 1u);
        for (int axis = 0; axis < space.rank; ++axis) {
            if (axis == along) continue;
            bool const in = of.row_axes ? is_in_row(axis) : !info.reduced || (info.reduced >> axis & 1u);
            if (in) inner[inners++] = axis;
            else outer[outers++] = axis;
        }
        if (along >= 0) inner[inners++] = along;
        plan_loop l;
        l.lines = {static_cast<std::uint32_t>(out_.lines.size()), p.instructions.count};
        l.accesses = {static_cast<std::uint32_t>(out_.accesses.size()), p.accesses.count};
        l.literals = {static_cast<std::uint32_t>(out_.literals.size()), p.literals.count};
        l.reduces = info.reduced != 0;
        l.columns = columns;
        for (std::uint32_t k = 0; k < p.literals.count; ++k) out_.literals.push_back(programs_.literals[p.literals.first + k]);
        if (of.row_axes) {
            s.outer.rank = outers;
            for (int d = 0; d < outers; ++d) s.outer.extent[d] = space[outer[d]], outer_axis_[d] = outer[d];
        } else {
            s.outer = collapse(space, outer, outers, p, false);
        }
        l.inner = collapse(space, inner, inners, p, true, columns);
        for (std::uint32_t k = 0; k < p.accesses.count; ++k) {
            buffer_access const& a = programs_.accesses[p.accesses.first + k];
            plan_access w;
            w.buffer = a.buffer == node_id::none ? -1 : out_.buffer_of[index(a.buffer)];
            w.type = a.type, w.stores = a.stores, w.offset = a.offset;
            bool const local = of.row_axes && w.buffer >= 0 &&
                               only_step_[static_cast<std::size_t>(w.buffer)] == static_cast<std::int32_t>(out_.steps.size());
            for (int d = 0; d < s.outer.rank && !local; ++d) w.outer[d] = a.stride[outer_axis_[d]];
            for (int d = 0; d < l.inner.rank; ++d)
                w.inner[d] = local ? stride_in_row(of, a.buffer, space.rank, inner_axis_[d], a.stride[inner_axis_[d]])
                                   : a.stride[inner_axis_[d]];
            std::int64_t const pace = l.inner.rank ? w.inner[l.inner.rank - 1] : 0;
            bool const single = !l.inner.rank || l.inner.extent[l.inner.rank - 1] == 1;
            w.mode = single                       ? (a.stores ? access_mode::contiguous : access_mode::splat)
                     : pace == 1 && w.buffer >= 0 ? access_mode::contiguous
                     : pace == 0                  ? access_mode::splat
                     : !a.stores && !a.looks_up && w.buffer >= 0 && !info.reduced && !of.row_axes && l.inner.rank > 1 &&
                             w.inner[l.inner.rank - 2] == 1
                         ? access_mode::transposed
                         : access_mode::strided;
            out_.accesses.push_back(w);
        }
        if (begins_at_end(of, l)) turn_round(s, l);
        for (std::uint32_t k = 0; k < p.instructions.count; ++k) {
            instruction const& i = programs_.instructions[p.instructions.first + k];
            access_mode mode{};
            if (access_of(i) >= 0) mode = out_.accesses[l.accesses.first + static_cast<std::size_t>(access_of(i))].mode;
            bool const named = i.role == role::compute || i.role == role::reduce;
            bool const approximate = i.role == role::compute && options_.points && options_.fast_math;
            out_.lines.push_back({i.role, named ? i.code : op{}, i.type, i.a, i.b, i.c, mode, approximate});
            if (asks_for_nan(out_.lines.back()) && is_fixed(l, i.b)) std::swap(out_.lines.back().a, out_.lines.back().b);
        }
        l.rows.overwritten = overwrites(l);
        out_.loops.push_back(l);
    }
    // Returns an access's stride along an axis of a loop of `rank` axes, if its buffer holds a single row.
    constexpr std::int64_t stride_in_row(step const& nest, node_id buffer, int rank, int axis, std::int64_t stride) const {
        dims const d = row_of(nest, buffer);
        int const own = axis - rank + d.rank;
        return stride == 0 || own < 0 ? 0 : row_major_strides(d)[static_cast<std::size_t>(own)];
    }
    // Does the op test whether its first operand is NaN? If one operand is the same for all elements it is put where the test is
    // made only once.
    static constexpr bool asks_for_nan(kernel_line const& l) {
        return l.role == role::compute && (l.code == op::maximum || l.code == op::minimum) && is_floating(l.type) &&
               !is_dual(l.type);
    }
    // Has a line one value for all elements of a row?
    constexpr bool is_fixed(plan_loop const& l, int line) const {
        kernel_line const& o = out_.lines[l.lines.first + static_cast<std::size_t>(line)];
        return o.role == role::literal || (o.role == role::load && o.mode == access_mode::splat);
    }
    // Does the loop overwrite a buffer that it reads?
    constexpr bool overwrites(plan_loop const& l) const {
        for (std::size_t k = l.accesses.first; k < l.accesses.first + l.accesses.count; ++k)
            for (std::size_t j = l.accesses.first; out_.accesses[k].stores && j < l.accesses.first + l.accesses.count; ++j)
                if (!out_.accesses[j].stores && out_.accesses[j].buffer == out_.accesses[k].buffer) return true;
        return false;
    }

    // Should a loop begin at the end? The last rows that a loop reads are still in the cache, so the next loop over the same
    // large buffer begins with them. Short rows are not walked backwards, because many of them run as one.
    constexpr bool begins_at_end(step const& of, plan_loop const& l) {
        constexpr std::int64_t longer = 128;
        std::int64_t most = 0;
        bool was_forward = false, turns = !of.row_axes && l.inner.rank > 1 && l.inner.extent[l.inner.rank - 1] >= longer;
        auto const at = [&](std::uint32_t k) -> plan_access const& { return out_.accesses[l.accesses.first + k]; };
        for (std::uint32_t k = 0; k < l.accesses.count; ++k) {
            if (at(k).mode == access_mode::transposed || at(k).buffer < 0) turns = false; // places are counted in order
            if (at(k).buffer < 0) continue;
            std::size_t const b = static_cast<std::size_t>(at(k).buffer);
            if (out_.buffers[b].bytes > most) most = out_.buffers[b].bytes, was_forward = walked_forward_[b];
        }
        bool const turned = turns && was_forward && most >= target_.cached_bytes;
        for (std::uint32_t k = 0; k < l.accesses.count; ++k)
            if (at(k).buffer >= 0) walked_forward_[static_cast<std::size_t>(at(k).buffer)] = !turned;
        return turned;
    }
    // Makes the loop walk its first axis backwards.
    constexpr void turn_round(plan_step const& s, plan_loop const& l) {
        bool const by_outer = s.outer.rank > 0;
        std::int64_t const last = (by_outer ? s.outer : l.inner).extent[0] - 1;
        if (last < 0) return;
        for (std::uint32_t k = 0; k < l.accesses.count; ++k) {
            plan_access& a = out_.accesses[l.accesses.first + k];
            std::int64_t& stride = by_outer ? a.outer[0] : a.inner[0];
            a.offset += stride * last;
            stride = -stride;
        }
    }

    // Removes axes of extent 1 and merges neighbouring axes that every access walks as one. The last axis of a loop over columns
    // is never merged.
    constexpr walk collapse(dims const& space, int const* axes, int count, loop_program const& p, bool inner,
                            bool keep_last = false) {
        int* const walked_axes = inner ? inner_axis_ : outer_axis_;
        walk w;
        for (int k = 0; k < count; ++k) {
            int const axis = axes[k];
            bool const last = keep_last && k == count - 1;
            if (space[axis] == 1 && !last) continue;
            if (w.rank && !last && flat(walked_axes[w.rank - 1], axis, space[axis], p)) {
                w.extent[w.rank - 1] *= space[axis];
                walked_axes[w.rank - 1] = axis;
                continue;
            }
            walked_axes[w.rank] = axis;
            w.extent[w.rank++] = space[axis];
        }
        return w;
    }
    // Does every access walk these two axes as one?
    constexpr bool flat(int outer, int inner, std::int64_t extent, loop_program const& p) const {
        for (std::uint32_t k = 0; k < p.accesses.count; ++k) {
            buffer_access const& a = programs_.accesses[p.accesses.first + k];
            if (a.stride[outer] != a.stride[inner] * extent) return false;
        }
        return true;
    }

    graph_view g_;
    clusters_view c_;
    table_view<dims> extents_;
    pass_options options_;
    plan_target target_;
    programs_view programs_;
    buffer<stored_part> parts_;      // for each node; empty if there are none
    buffer<buffer_access> accesses_; // a copy of programs_' accesses, if there are parts
    plan out_;
    buffer<std::uint8_t> walked_forward_; // for each buffer: did the last loop over it walk forward?
    buffer<std::int32_t> only_step_;      // for each buffer: the only nest that touches it, or a negative number
    int outer_axis_[max_rank]{}, inner_axis_[max_rank]{};
};

} // namespace detail::inline TRACEXPR_TARGET

inline namespace TRACEXPR_TARGET {
constexpr plan make_plan(graph_view const& g, clusters_view const& c, programs_view const& lowered, table_view<dims> extents,
                         pass_options const& options, plan_target const& target) {
    plan out = detail::planning(g, c, lowered, extents, options, target).run();
    detail::choosing(g, out, target, options).run();
    return out;
}
constexpr plan make_plan(graph_view const& g, clusters_view const& c, table_view<dims> extents, pass_options const& options = {},
                         plan_target const& target = this_processor) {
    return make_plan(g, c, lower(g, c, extents).view(), extents, options, target);
}
} // namespace TRACEXPR_TARGET
} // namespace tx

TRACEXPR_END_PASSES
