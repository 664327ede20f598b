// This pass lowers loops to straight-line programs. Each node is needed at certain indices of a loop's space, which a path
// describes; views only change paths, elementwise ops pass them on, and buffers turn them into strides.
//
// The programs' instructions depend on the graph alone, their numbers (strides, offsets, sizes) on the extents: lowering again
// with the extents of a call gives the same instructions with that call's numbers.
#pragma once

#include <tracexpr/passes/cluster.hpp>
#include <tracexpr/passes/extents.hpp>
#include <tracexpr/passes/paths.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace detail::inline TRACEXPR_TARGET {

class loop_lowering {
public:
    constexpr loop_lowering(graph_view const& g, clusters_view const& c, table_view<dims> extents)
        : g_{g}, c_{c}, extents_{extents}, first_need_(g.size(), -1) {}
    constexpr ~loop_lowering() {} // nvcc 13 does not take the implicit one for constexpr

    constexpr programs run() {
        paths_.push_back(identity_path());
        path_index_.add(0);
        path_origins_.push_back({});
        demand_roots();
        for (std::size_t i = g_.size(); i-- > 0;)
            for (std::int32_t e = first_need_[i]; e >= 0; e = needs_[static_cast<std::size_t>(e)].next)
                expand(static_cast<std::size_t>(e));
        emit();
        return std::move(out_);
    }

private:
    // A need is a node that a loop needs at a path.
    struct need {
        node_id node = node_id::none;
        std::int32_t loop = 0, path = 0;
        std::int32_t next = -1;              // the next need of the same node
        std::int32_t operand[3]{-1, -1, -1}; // the operands' needs
        std::int32_t line = -1;              // its line in the loop's program, once emitted
        std::int32_t next_in_loop = -1;
        std::int32_t height = 0; // length of the longest chain of computations from here to a store
        tx::role role{};
    };
    struct root {
        node_id node = node_id::none;
        std::int32_t need = -1, next = -1;
    };
    // A path's origin is the path before its last step, and that step.
    struct path_origin {
        std::uint64_t edge = 0;
        std::int32_t from = -1;
        bool in_order = true; // do the steps so far keep a buffer's elements in the order of the loop's indices?
        friend constexpr bool operator==(path_origin const&, path_origin const&) = default;
    };

    constexpr dims const& extents(node_id id) const { return extents_[index(id)]; }

    constexpr void demand_roots() {
        roots_.assign(c_.loops.size(), -1);
        in_loop_.assign(c_.loops.size(), -1);
        for (std::size_t i = g_.size(); i-- > 0;) {
            std::int32_t const loop = c_.loop_of[i];
            if (loop < 0) continue;
            bool const reduces = is_reduced_by_loop(g_.nodes[i].code, c_.storage[i]);
            root r{to_id(i), require(reduces ? g_.operand(g_.nodes[i], 0) : to_id(i), loop, 0),
                   roots_[static_cast<std::size_t>(loop)]};
            roots_[static_cast<std::size_t>(loop)] = static_cast<std::int32_t>(all_roots_.size());
            all_roots_.push_back(r);
        }
    }

    // Lists of needs stay sorted so that expand() visits every need of a node before its operands'.
    constexpr std::int32_t require(node_id id, std::int32_t loop, std::int32_t path) {
        std::int32_t last = -1;
        std::int32_t& first = first_need_.data()[static_cast<std::size_t>(id)];
        if (first >= 0) {
            need const* const needs = needs_.data();
            for (std::int32_t e = first; e >= 0; last = e, e = needs[e].next)
                if (needs[e].loop == loop && needs[e].path == path) return e;
        }
        std::int32_t const fresh = static_cast<std::int32_t>(needs_.size());
        needs_.push_back({id, loop, path});
        (last < 0 ? first : needs_.data()[last].next) = fresh;
        return fresh;
    }

    // Returns the path to operand `id` of `n`, if `n` is needed at `from`. Paths are distinguished by how they came about, not by
    // their numbers, so that the program's instructions are the same for all extents.
    constexpr std::int32_t step_to(node const& n, node_id self, node_id id, std::int32_t from) {
        bool const view = info(n.code).kind == kind::view;
        bool const moves = view && n.code != op::broadcast_to && n.code != op::sum_to;
        if (!moves) {
            std::uint32_t const* const space = c_.space.data();
            if (space[static_cast<std::size_t>(id)] == space[static_cast<std::size_t>(self)]) return from;
        }
        std::uint64_t const edge =
            view ? (1u + index(self)) << 1
                 : (std::uint64_t{c_.space[index(id)]} << 32 | std::uint64_t{c_.space[index(self)]} << 1) | 1u;
        bool const in_order =
            path_origins_[static_cast<std::size_t>(from)].in_order && (n.code == op::expand_dims || n.code == op::squeeze);
        path_origin const origin{edge, from, in_order};
        std::uint64_t const key = mix(mix(0, edge), static_cast<std::uint64_t>(from));
        std::int32_t known = path_index_.find(key, [&](std::size_t e) { return path_origins_[e] == origin; });
        if (known >= 0) return known;
        known = static_cast<std::int32_t>(paths_.size());
        path const at = paths_[static_cast<std::size_t>(from)];
        paths_.push_back(view ? through_view(g_, n, extents(self), extents(id), at)
                              : through_broadcast(extents(self), extents(id), at));
        path_index_.add(key);
        path_origins_.push_back(origin);
        return known;
    }
    constexpr void expand(std::size_t e) {
        need& entry = needs_[e]; // valid until the next require
        node_id const self = entry.node;
        std::int32_t const loop = entry.loop, path = entry.path;
        node const& n = g_[self];
        std::int32_t& latest = in_loop_.data()[loop];
        entry.next_in_loop = latest;
        latest = static_cast<std::int32_t>(e);
        kind const k = info(n.code).kind;
        if (c_.storage[static_cast<std::size_t>(self)] != storage_of::none) {
            // A value that a loop of this same stage stores is computed again, because the order of loops within a stage is open.
            std::int32_t const stored_by = c_.loop_of[static_cast<std::size_t>(self)];
            loop_info const* const loops = c_.loops.data();
            bool const computed_here =
                stored_by >= 0 && loops[stored_by].stage == loops[loop].stage && !is_reduced_by_loop(n.code, storage_of::loop);
            if (!computed_here) {
                entry.role = role::load;
                return;
            }
        }
        if (k == kind::leaf) {
            entry.role = n.code == op::iota ? role::index : role::literal;
            return;
        }
        if (k == kind::lookup) {
            entry.role = role::lookup;
            return;
        }
        entry.role = role::compute;
        for (std::size_t o = 0, count = value_operands(n); o < count; ++o) {
            node_id const id = g_.operand(n, o);
            std::int32_t const operand = require(id, loop, step_to(n, self, id, path));
            needs_[e].operand[o] = operand;
        }
    }

    constexpr std::int32_t add_access(node_id buffer, dtype type, bool stores, path const& at, dims const& shape) {
        out_.accesses.push_back(access_at(buffer, type, stores, at, shape));
        return static_cast<std::int32_t>(out_.accesses.size() - 1 - first_access_);
    }
    constexpr std::int32_t add_index(node const& n, dtype type, path const& at) {
        int const axis = static_cast<int>(g_.attributes_of(n)[0]);
        buffer_access a{node_id::none, type, false, false, false, at.offset[axis]};
        for_each_driver(at, axis, [&](int driver, std::int64_t scale) { a.stride[driver] = scale; });
        out_.accesses.push_back(a);
        return static_cast<std::int32_t>(out_.accesses.size() - 1 - first_access_);
    }
    constexpr std::int32_t add_lookup(node_id operand, path const& at) {
        buffer_access a = access_through_views(g_, c_, extents_, operand, at);
        a.looks_up = true;
        out_.accesses.push_back(a);
        return static_cast<std::int32_t>(out_.accesses.size() - 1 - first_access_);
    }
    // Emits a lookup: its indices, then the read of the table.
    constexpr void emit_lookup(node const& n, path const& at, instruction& line, std::size_t first) {
        node_id const table = g_.operand(n, 0), indices = g_.operand(n, 1);
        int const along = static_cast<int>(g_.attributes_of(n)[0]);
        instruction place{
            role::place, {}, g_[indices].type, add_lookup(indices, path_to_indices(n, extents(indices), along, at))};
        std::int64_t const stride = access_through_views(g_, c_, extents_, table).stride[along];
        place.c = static_cast<std::int32_t>(out_.literals.size() - first_literal_);
        out_.literals.push_back(
            {dtype::int64, {static_cast<std::uint64_t>(stride), static_cast<std::uint64_t>(extents(table)[along])}});
        out_.instructions.push_back(place);
        line.a = static_cast<std::int32_t>(out_.instructions.size() - 1 - first);
        line.b = add_lookup(table, path_to_table(n, extents(table), extents(indices), along, at));
    }
    constexpr std::int32_t add_literal(node const& n) {
        literal_bits bits{n.bits[0], n.bits[1]};
        if (n.code == op::axis_size) {
            std::int64_t const count = elements_along(extents(g_.operand(n, 0)), g_.attributes_of(n));
            bits = cast_literal(to_literal(count), dtype::int64, n.type);
        }
        out_.literals.push_back({n.type, bits});
        return static_cast<std::int32_t>(out_.literals.size() - 1 - first_literal_);
    }

    constexpr void emit() {
        for (std::size_t loop = 0; loop < c_.loops.size(); ++loop) {
            std::size_t const first = out_.instructions.size();
            first_access_ = out_.accesses.size();
            first_literal_ = out_.literals.size();
            dims const& space = g_.shape_of(to_id(c_.loops[loop].space));
            if (space.is_static() && space.size() == 1) order_by_height(in_loop_[loop]);
            for (std::int32_t e = in_loop_[loop]; e >= 0; e = needs_[static_cast<std::size_t>(e)].next_in_loop)
                emit_line(needs_[static_cast<std::size_t>(e)], first);
            for (std::int32_t r = roots_[loop]; r >= 0; r = all_roots_[static_cast<std::size_t>(r)].next)
                emit_root(all_roots_[static_cast<std::size_t>(r)], c_.loops[loop], first);
            loop_program p;
            p.instructions = part(first, out_.instructions.size());
            p.accesses = part(first_access_, out_.accesses.size());
            p.literals = part(first_literal_, out_.literals.size());
            p.inner = inner_axis(c_.loops[loop]);
            out_.loops.push_back(p);
        }
    }
    // Sorts the needs of a loop over one element by height. Its program is straight-line code with calls of the C library, which
    // compilers don't reorder, so the operations that most of the cost depends on come first. (Critical-path list scheduling: Hu,
    // Parallel sequencing and assembly line problems, 1961)
    constexpr void order_by_height(std::int32_t& first) {
        buffer<std::int32_t> in_order, of_height;
        for (std::int32_t e = first; e >= 0; e = needs_.data()[e].next_in_loop) in_order.push_back(e);
        for (std::size_t k = in_order.size(); k-- > 0;) {
            need& n = needs_.data()[in_order[k]];
            int const cost = n.role == role::compute ? info(g_[n.node].code).cost : 0, next = n.height + (cost > 0 ? cost : 1);
            for (std::int32_t const operand : n.operand)
                if (operand >= 0 && needs_.data()[operand].height < next) needs_.data()[operand].height = next;
            while (of_height.size() <= static_cast<std::size_t>(n.height)) of_height.push_back(-1);
            n.next_in_loop = std::exchange(of_height.data()[n.height], in_order[k]);
        }
        std::int32_t* end = &first;
        for (std::size_t h = of_height.size(); h-- > 0;)
            for (*end = of_height[h]; *end >= 0;) end = &needs_.data()[*end].next_in_loop;
    }
    static constexpr stretch part(std::size_t first, std::size_t last) {
        return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first)};
    }
    constexpr std::int32_t line_of(std::int32_t e) const { return needs_.data()[e].line; }
    constexpr void emit_line(need& e, std::size_t first) {
        node const& n = g_[e.node];
        path const& at = paths_[static_cast<std::size_t>(e.path)];
        instruction line{e.role, n.code, n.type};
        switch (e.role) {
        case role::load:
            line.a = add_access(e.node, n.type, false, at, extents(e.node));
            out_.accesses.back().in_order = path_origins_[static_cast<std::size_t>(e.path)].in_order;
            break;
        case role::index: line.a = add_index(n, n.type, at); break;
        case role::literal: line.a = add_literal(n); break;
        case role::lookup: emit_lookup(n, at, line, first); break;
        default:
            if (info(n.code).kind == kind::view) {
                e.line = line_of(e.operand[0]);
                return;
            }
            line.a = line_of(e.operand[0]);
            if (e.operand[1] >= 0) line.b = line_of(e.operand[1]);
            if (e.operand[2] >= 0) line.c = line_of(e.operand[2]);
        }
        out_.instructions.push_back(line);
        e.line = static_cast<std::int32_t>(out_.instructions.size() - 1 - first);
    }
    // Emits a line that counts places along the axis on which an extreme is searched, in lanes as wide as the values'.
    constexpr std::int32_t emit_places(node const& n, std::size_t first) {
        bool const is_narrow = size_in_bytes(g_[g_.operand(n, 0)].type) == 4;
        instruction places{role::index, {}, is_narrow ? dtype::int32 : dtype::int64};
        buffer_access a{node_id::none, places.type};
        a.stride[g_.attributes_of(n)[1]] = 1;
        out_.accesses.push_back(a);
        places.a = static_cast<std::int32_t>(out_.accesses.size() - 1 - first_access_);
        out_.instructions.push_back(places);
        return static_cast<std::int32_t>(out_.instructions.size() - 1 - first);
    }
    constexpr void emit_root(root const& r, loop_info const& loop, std::size_t first) {
        node const& n = g_[r.node];
        instruction line{role::store, n.code, n.type, line_of(r.need)};
        path at = paths_[0];
        if (is_reduced_by_loop(n.code, c_.storage[index(r.node)]) && loop.reduced) { // a reduction over no axes is its operand
            line.role = role::reduce;
            if (info(n.code).kind == kind::arg_reduction) line.c = emit_places(n, first);
            bool const keeps = g_.attributes_of(n)[0] != 0;
            at = path{};
            int to = 0;
            int const rank = g_.shape_of(to_id(loop.space)).rank;
            for (int axis = 0; axis < rank; ++axis) {
                bool const is_reduced = loop.reduced >> axis & 1u;
                if (!is_reduced) at.driven_by[to] = 1u << axis, at.scale[to][axis] = 1;
                if (!is_reduced || keeps) ++to;
            }
        }
        line.b = add_access(r.node, n.type, true, at, extents(r.node));
        out_.accesses.back().in_order = line.role == role::store;
        out_.instructions.push_back(line);
    }

    // Returns the axis along which most accesses are contiguous. The stores of reductions don't count, because they are few.
    constexpr std::int32_t inner_axis(loop_info const& loop) const {
        if (std::int32_t const along = axis_of_short_rows(g_, loop, 4); along >= 0) return along;
        int best = -1, best_score = -1;
        dims const& space = g_.shape_of(to_id(loop.space));
        for (int axis = space.rank - 1; axis >= 0; --axis) {
            if (space[axis] == 1) continue;
            int score = 0;
            for (std::size_t k = first_access_; k < out_.accesses.size(); ++k) {
                buffer_access const& a = out_.accesses[k];
                if (a.buffer != node_id::none && a.stride[axis] == 1) score += !a.stores ? 1 : a.in_order ? 2 : 0;
            }
            if (score > best_score) best = axis, best_score = score;
        }
        return best;
    }

    graph_view g_;
    clusters_view c_;
    table_view<dims> extents_;
    buffer<std::int32_t> first_need_, in_loop_, roots_;
    buffer<need> needs_;
    buffer<root> all_roots_;
    buffer<path> paths_;
    hash_index path_index_;
    buffer<path_origin> path_origins_;
    programs out_;
    std::size_t first_access_ = 0, first_literal_ = 0;
};

} // namespace detail::inline TRACEXPR_TARGET

inline namespace TRACEXPR_TARGET {

// Lowers all loops. `extents` is every node's shape without unknown extents; see passes/extents.hpp.
constexpr programs lower(graph_view const& g, clusters_view const& c, table_view<dims> extents) {
    return detail::loop_lowering(g, c, extents).run();
}

} // namespace TRACEXPR_TARGET
} // namespace tx

TRACEXPR_END_PASSES
