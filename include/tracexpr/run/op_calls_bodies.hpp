// This file holds the bodies of run/op_calls.hpp.
#pragma once

#include <tracexpr/run/op_calls.hpp>
#include <tracexpr/run/tiled_trace_bodies.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

template <class Unused> void append_op(trace_scope& scope, tiled_call const& call) {
    buffer<node_id> operands, results(call.results.size());
    for (tiled_argument const& a : call.arguments) {
        appended_argument const given = appended_leaf<Unused>(scope, a);
        operands.push_back(given.id != node_id::none ? given.id : append_elements<Unused>(scope.recorded, given));
    }
    op_recorder const& recorder = *call.source.recorder;
    recorder.record(recorder, scope, operands.data(), results.data());
    for (std::size_t k = 0; k < call.results.size(); ++k) call.results[k].access->become(call.results[k].leaf, scope, results[k]);
}

// If an operand may have any rank, the op is traced for the extents of the call.
template <class Unused> traced_program program_of_extents(tiled_call const& call, table_view<dims> extents) {
    return found_or_made<Unused>(*prepared<Unused>(call).by_extents, extents, [&] {
        auto trace = std::make_shared<runtime_program>();
        trace->traced = trace_of_op<Unused>(call, extents);
        trace->simplified = simplify(trace->traced.view(), call.source.passes);
        return traced_program{trace, tiles::make_program<Unused>(trace->simplified.view(), extents, call.source.passes)};
    });
}
template <class Unused> void run_op_of_open_rank(tiled_call const& call) {
    if (!innermost_recorder && run_small<Unused>(call, true)) return;
    std::size_t const count = call.arguments.size();
    pointers<dims, 8> room;
    dims* const extents = room.with_room_for(count);
    for (std::size_t k = 0; k < count; ++k) extents[k] = call.arguments[k].access->extents(call.arguments[k].leaf);
    traced_program const found = program_of_extents<Unused>(call, {extents, count});
    run_listed<Unused>(*found.made, call.arguments, call.results);
    if (innermost_recorder) [[unlikely]]
        record_tiled(call, found.trace->traced.view());
}

template <class Unused> void run_op(tiled_call const& call) {
    if (trace_scope* const scope = scope_of_tiled(call)) [[unlikely]]
        append_op<Unused>(*scope, call);
    else if (call.source.recorder->has_open_rank) run_op_of_open_rank<Unused>(call);
    else run_tiled<Unused>(call);
}

} // namespace tx::detail::inline TRACEXPR_RUNS
