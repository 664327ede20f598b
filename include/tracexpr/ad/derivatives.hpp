// What transforms and tapes ask of derivatives and of batching: functions of nodes, which are evaluated where the compiler traces
// and are compiled once for what is traced while the program runs.
#pragma once

#include <tracexpr/ad/value.hpp>

#if TRACEXPR_TRACES_HERE
#include <tracexpr/ad/checkpoint.hpp>
#include <tracexpr/ad/jacobian.hpp>
#endif

namespace tx::ad {

class batching_pass;

#if TRACEXPR_TRACES_HERE
namespace detail {

constexpr buffer<node_id> substituted_here(trace_scope& scope, std::size_t first, table_view<node_id> placeholders,
                                           table_view<node_id> by, table_view<node_id> targets) {
    auto* const pass = scope.own(new substitution_pass(scope, first));
    for (std::size_t k = 0; k < placeholders.size(); ++k) pass->replace(placeholders[k], {by[k]});
    buffer<node_id> wanted, out;
    for (node_id const id : targets)
        if (id != node_id::none) wanted.push_back(id);
    pass->run(wanted);
    for (node_id const id : targets) out.push_back(id == node_id::none ? id : (*pass)[id].id);
    return out;
}
constexpr batching_pass* new_batching_here(trace_scope& scope, node_id sample, std::int64_t extent) {
    return scope.own(new batching_pass(scope, {value(scope.recorded, sample), extent}));
}
constexpr node_id example_here(batching_pass& pass, graph& g, node_id stacked) { return pass.example_of({g, stacked}); }
constexpr buffer<node_id> batched_here(batching_pass& pass, table_view<node_id> ones, bool for_all) {
    pass.run(ones);
    buffer<node_id> out;
    for (node_id const id : ones) out.push_back(for_all ? pass.for_output(id).id : pass[id].id);
    return out;
}

} // namespace detail
#endif

// The gradients of the sum of `targets` times their cotangents with respect to each of `wanted`, which are among the sources or
// none: nodes, or none where it is 0. Targets whose cotangent is none don't count. `recorded`: see active_nodes.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, gradients, detail::gradients_here,
                      (trace_scope & scope, table_view<node_id> sources, table_view<node_id> targets,
                       table_view<node_id> cotangents, table_view<node_id> wanted, table_view<bool> recorded),
                      (scope, sources, targets, cotangents, wanted, recorded))
// The cotangents of `from`, given those of `to`. Of integers there are none, nor of nodes that are none.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, cotangents, detail::cotangents_here,
                      (trace_scope & scope, table_view<node_id> from, table_view<node_id> to, table_view<node_id> given),
                      (scope, from, to, given))
// What targets change by when each source changes by its step: nodes, or none where they don't.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, tangents, detail::tangents_here,
                      (trace_scope & scope, table_view<node_id> sources, table_view<node_id> steps, table_view<node_id> targets,
                       table_view<bool> recorded),
                      (scope, sources, steps, targets, recorded))
// Nodes, and what else results are made of: nodes that were there before node `first`, and what is read from outside the trace.
// Literals don't count, nor what effects came before.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, inputs_of, detail::inputs_here,
                      (trace_scope & scope, table_view<node_id> given, table_view<node_id> results, std::size_t first),
                      (scope, given, results, first))
// Targets recorded once more, with others in the place of placeholders that were appended from node `first` on.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, substituted, detail::substituted_here,
                      (trace_scope & scope, std::size_t first, table_view<node_id> placeholders, table_view<node_id> by,
                       table_view<node_id> targets),
                      (scope, first, placeholders, by, targets))

// A pass over examples side by side, which the scope owns. The sample may be of any shape with the batch axis in front.
TRACEXPR_HERE_OR_ONCE(batching_pass*, new_batching, detail::new_batching_here,
                      (trace_scope & scope, node_id sample, std::int64_t extent), (scope, sample, extent))
// A node that stands for one example of a node with the batch axis in front.
TRACEXPR_HERE_OR_ONCE(node_id, example_of, detail::example_here, (batching_pass & pass, graph& g, node_id stacked),
                      (pass, g, stacked))
// What nodes of one example are for the batch; those that are the same for all examples as they are, or, for_all, repeated.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, batched, detail::batched_here,
                      (batching_pass & pass, table_view<node_id> ones, bool for_all), (pass, ones, for_all))

// The Jacobians of results with respect to sources, one after the other for each result. Forward: a column for each element of
// the sources, else a row for each of the results. Symmetric: those of a gradient, half of which are those of the other half.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, jacobians, detail::jacobians_here,
                      (trace_scope & scope, table_view<node_id> results, table_view<node_id> sources, bool forward,
                       bool symmetric),
                      (scope, results, sources, forward, symmetric))

// Values that are computed from `inputs` by nodes from number `first` on, of which derivatives compute anew what they need.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, checkpointed, detail::checkpointed_here,
                      (trace_scope & scope, table_view<node_id> inputs, table_view<node_id> values, std::size_t first),
                      (scope, inputs, values, first))

} // namespace tx::ad
