// Calls, seen by recorders, of graphs that call functions of the user's: all that these gave and recorded goes to the recorders,
// so that derivatives don't call them again.
#pragma once

#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail {

// The graph with the results of such calls, and of what has them in its regions, as outputs behind the first ones of its own.
inline graph with_calls_as_outputs(graph_view const& g, std::size_t results) {
    graph out = copied(g);
    out.clear_outputs();
    for (std::size_t k = 0; k < results; ++k) out.add_output(g.outputs[k]);
    for (std::size_t i = 0; i < g.size(); ++i)
        if (is_result_of_effect(g, g.nodes[i])) out.add_output(to_id(i));
    if (std::size_t const values = value_outputs(g); values < g.outputs.size()) out.add_output(g.outputs[values]);
    return out;
}

// `stored`: the variables that the call assigns to. `record`: called with a scope to record the call there, where that is more
// than to append `traced`; or null.
template <class Leaves, class Result, class Record>
void run_recorded(graph_view const& traced, Leaves const& leaves, Result& out, call_record& call, stored_variables const& stored,
                  Record const* record) {
    graph const g = with_calls_as_outputs(traced, value_outputs(traced));
    auto const program = simd::tiles::make_program<>(g.view(), leaves.shapes(), pass_options{});
    std::vector<host_array> further;
    for (std::size_t k = value_outputs(traced); k < value_outputs(g.view()); ++k) {
        dims const extents = program->output_extents(k);
        dtype const type = program->output_type(k);
        further.push_back(
            {type, extents, std::vector<std::byte>(static_cast<std::size_t>(extents.size()) * size_in_bytes(type))});
    }
    recorded_calls made;
    std::vector<void*> outputs(g.outputs().size() + 1);
    std::size_t k = make_result(*program, out, outputs.data());
    stored.prepare(*program);
    for (; k < value_outputs(traced); ++k) outputs[k] = stored.outputs()[k];
    for (host_array& a : further) outputs[k++] = a.bytes.data();
    simd::tiles::run_program_within<>(*program, {leaves.data, outputs.data()});
    call.add_results(out);
    graph const told = with_calls_as_outputs(traced, result_outputs(traced));
    call.tell(told.view(), further, made.release(), record);
}

} // namespace tx::detail
