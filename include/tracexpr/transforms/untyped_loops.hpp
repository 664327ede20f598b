// Records loops for code that works on nodes without types.
#pragma once

#include <tracexpr/ad/value_functions.hpp>
#include <tracexpr/transforms/loop_state.hpp>

namespace tx::detail {

// Records a while_loop on nodes, where condition(region, state) returns a bool scalar, and body(region, state) the next state.
template <class Condition, class Body> constexpr buffer<node_id>
record_untyped_loop(trace_scope& scope, buffer<node_id> const& start, Condition const& condition, Body const& body) {
    loop_operands leading;
    for (node_id const id : start) {
        leading.nodes.push_back(id);
        leading.specs.push_back({scope.recorded[id].type, dims(scope.recorded.shape_of(id))});
    }
    loop_recording loop(scope, op::while_loop, std::move(leading));
    traced_branch asked, made;
    loop.record(asked, [&](trace_scope& region, buffer<node_id> const& state) {
        region.recorded.add_output(condition(region, state));
        return true;
    });
    loop.record(made, [&](trace_scope& region, buffer<node_id> const& state) {
        for (node_id const id : body(region, state)) region.recorded.add_output(id);
        return true;
    });
    traced_branch* const regions[]{&asked, &made};
    return loop.append(regions, {start.size(), 0, false});
}
// Records a scan on nodes, where body(region, state and elements) returns the next state, then elements of the results. Returns
// the last state, then the results.
template <class Body> constexpr buffer<node_id> record_untyped_scan(trace_scope& scope, table_view<ad::value> start,
                                                                    table_view<ad::value> sequences, bool reversed,
                                                                    Body const& body) {
    loop_operands leading;
    for (ad::value const& x : start) {
        leading.nodes.push_back(x.id());
        leading.specs.push_back({x.type(), dims(x.shape())});
    }
    for (ad::value const& x : sequences) {
        leading.nodes.push_back(x.id());
        leading.specs.push_back({x.type(), without_leading(x.shape())});
    }
    loop_recording loop(scope, op::scan, std::move(leading));
    traced_branch made;
    loop.record(made, [&](trace_scope& region, buffer<node_id> const& given) {
        buffer<ad::value> values;
        for (node_id const id : given) values.push_back({region.recorded, id});
        for (ad::value const& x : body(region, values)) region.recorded.add_output(x.id());
        return true;
    });
    traced_branch* const regions[]{&made};
    return loop.append(regions, {start.size(), sequences.size(), reversed});
}
// Returns a value of the scope around as it is in a loop's region.
constexpr ad::value taken_into(trace_scope& region, trace_scope& around, ad::value const& x) {
    return {region.recorded, region.taken_from(around, x.id())};
}

// Returns whether any element is true.
TRACEXPR_ONCE constexpr ad::value any_of(ad::value const& x) {
    if (x.rank() == 0) return x;
    attribute_list axes(0);
    for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
    return ad::unary(op::max, x, axes);
}

} // namespace tx::detail
