// This file handles writes to elements of a concrete tensor that a tape watches inside a traced callable: the trace then has
// another value.
#pragma once

#include <tracexpr/run/recording/element_writes.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail {

[[noreturn]] TRACEXPR_ONCE void throw_written_in_trace() {
    throw tape_error("tx: gradient_tape: a tensor that is watched inside a traced callable may be written to element by element, "
                     "y(i) = v, and not within a branch or a loop; else write tx::set, or change a copy before it is watched");
}
// Returns a number for the tensor after the write, if a trace knows the tensor; else 0.
template <class Unused = void> std::uint32_t number_in_trace(element_write const& write, std::uint32_t (*fresh)()) {
    trace_scope* const scope = innermost_trace;
    watched_values* const watched = scope ? scope->root->watched : nullptr;
    if (!watched) return 0;
    auto const find = [&](seen_value const& value) { return value.number() ? watched->find(value) : node_id::none; };
    node_id const before = find(write.before);
    node_id const source = watched->find_source(write);
    if (before == node_id::none && source == node_id::none) return 0;
    if (write.change == element_change::anything || scope != scope->root) throw_written_in_trace();
    recorded_write const now(write);
    element_ops ops(scope->recorded);
    write_chain after{kept(write.before), before, {}};
    after.writes.push_back(now);
    kept_value const& old = after.before;
    node_id node = before;
    if (node == node_id::none) node = append_elements<>(scope->recorded, {node_id::none, old.data, old.type, old.shape});
    if (source == node_id::none) node = ops.changed(node, now);
    else node = ops.changed(node, write.change, write.element, ops.get(source, write.from.element, write.before.type));
    kept_value value = after.elements(0);
    value.number = fresh();
    watched->add(value, node);
    return value.number;
}

} // namespace tx::detail
