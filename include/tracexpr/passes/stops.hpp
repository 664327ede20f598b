// This file tells whether a run may throw after it has written to a result.
#pragma once

#include <tracexpr/graph/regions.hpp>
#include <tracexpr/passes/plan_tables.hpp>

namespace tx::detail::inline TRACEXPR_TARGET {

// May a run throw after it has written to a result? If so it must not write to the caller's tensors directly, because a call that
// throws changes nothing. Decompositions throw; lookups, updates and argselect throw for an index out of range, but before they
// write anything themselves; an update whose indices a lookup has checked doesn't. `space` has, for each node, the first node
// with its extents.
constexpr bool stops_midway(graph_view const& g, plan_view const& p, table_view<std::uint32_t> space) {
    auto const is_result = [&](std::int32_t buffer) {
        return buffer >= 0 && p.buffers[static_cast<std::size_t>(buffer)].place == buffer_place::output;
    };
    auto const indices = [&](node const& n) { return g.operand(n, n.arity - 1u); };
    auto const checked = [&](node const& n, std::size_t step) {
        for (std::size_t s = 0; s < step; ++s) {
            if (p.steps[s].call == node_id::none) continue;
            node const& other = g[p.steps[s].call];
            if (info(other.code).kind == kind::lookup && indices(other) == indices(n) &&
                g.attributes_of(other)[0] == g.attributes_of(n)[0] &&
                space[index(g.operand(other, 0))] == space[index(g.operand(n, 0))])
                return true;
        }
        return false;
    };
    bool written = false;
    for (std::size_t number = 0; number < p.steps.size(); ++number) {
        plan_step const& s = p.steps[number];
        if (s.call != node_id::none) {
            node const& n = g[s.call];
            if (has_regions(n) || is_callback(n)) return true;
            if (info(n.code).kind == kind::effect && written) return true;
            bool const is_own = is_result(p.buffer_of[index(s.call)]);
            bool const may_fail = info(n.code).kind == kind::decomposition || info(n.code).kind == kind::routine;
            if (may_fail && (written || is_own)) return true;
            if ((info(n.code).kind == kind::lookup || n.code == op::argselect) && written) return true;
            if (updates_indexed(n.code) && written && !checked(n, number)) return true;
            written = written || is_own;
        }
        for (std::uint32_t l = 0; l < s.loops.count; ++l)
            for (std::uint32_t k = 0; k < p.loops[s.loops.first + l].accesses.count; ++k) {
                plan_access const& a = p.accesses[p.loops[s.loops.first + l].accesses.first + k];
                written = written || (a.stores && is_result(a.buffer));
            }
    }
    return false;
}

} // namespace tx::detail::inline TRACEXPR_TARGET
