// This file declares what transforms and tapes use of derivatives and batching: functions of nodes, which are evaluated in place
// where the compiler traces and are compiled once for what is traced while the program runs.
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

// Gives the gradients of the sum of `targets` times their cotangents with respect to each node in `wanted`, which is one of the
// sources or none. A gradient that is 0 is none. Targets whose cotangent is none don't count. `recorded` is that of active_nodes.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, gradients, detail::gradients_here,
                      (trace_scope & scope, table_view<node_id> sources, table_view<node_id> targets,
                       table_view<node_id> cotangents, table_view<node_id> wanted, table_view<bool> recorded),
                      (scope, sources, targets, cotangents, wanted, recorded))
// Gives the cotangents of `from` for those of `to`. Integers and nodes that are none have no cotangents.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, cotangents, detail::cotangents_here,
                      (trace_scope & scope, table_view<node_id> from, table_view<node_id> to, table_view<node_id> given),
                      (scope, from, to, given))
// Gives the tangents of the targets for the steps of the sources; the tangent of a target that doesn't change is none.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, tangents, detail::tangents_here,
                      (trace_scope & scope, table_view<node_id> sources, table_view<node_id> steps, table_view<node_id> targets,
                       table_view<bool> recorded),
                      (scope, sources, steps, targets, recorded))
// Gives `given` and all other nodes that the results are made of: nodes from before node number `first`, and values that are read
// from outside the trace. Literals don't count, nor do the effects that came before.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, inputs_of, detail::inputs_here,
                      (trace_scope & scope, table_view<node_id> given, table_view<node_id> results, std::size_t first),
                      (scope, given, results, first))
// Records the targets once more with the nodes `by` in place of the placeholders, which were appended from node number `first`
// on.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, substituted, detail::substituted_here,
                      (trace_scope & scope, std::size_t first, table_view<node_id> placeholders, table_view<node_id> by,
                       table_view<node_id> targets),
                      (scope, first, placeholders, by, targets))

// Gives a pass that batches examples; the scope owns it. The sample may be of any shape with the batch axis in front.
TRACEXPR_HERE_OR_ONCE(batching_pass*, new_batching, detail::new_batching_here,
                      (trace_scope & scope, node_id sample, std::int64_t extent), (scope, sample, extent))
// Gives a node that stands for one example of a node with the batch axis in front.
TRACEXPR_HERE_OR_ONCE(node_id, example_of, detail::example_here, (batching_pass & pass, graph& g, node_id stacked),
                      (pass, g, stacked))
// Gives the batched values of nodes that were recorded for one example. Nodes that are the same for all examples come as they are
// or, with for_all, repeated.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, batched, detail::batched_here,
                      (batching_pass & pass, table_view<node_id> ones, bool for_all), (pass, ones, for_all))

// Gives the Jacobians of the results with respect to the sources, those of the first result first. Forward mode computes a column
// for each element of the sources, reverse mode a row for each element of the results. `symmetric` tells that the results are a
// gradient, so that half of the blocks follow from the other half.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, jacobians, detail::jacobians_here,
                      (trace_scope & scope, table_view<node_id> results, table_view<node_id> sources, bool forward,
                       bool symmetric),
                      (scope, results, sources, forward, symmetric))

// Records values that are computed from `inputs` by nodes from number `first` on; derivatives compute what they need of these
// nodes again.
TRACEXPR_HERE_OR_ONCE(buffer<node_id>, checkpointed, detail::checkpointed_here,
                      (trace_scope & scope, table_view<node_id> inputs, table_view<node_id> values, std::size_t first),
                      (scope, inputs, values, first))

} // namespace tx::ad
