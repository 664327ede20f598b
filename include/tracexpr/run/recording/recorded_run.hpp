// Calls, seen by recorders, of graphs that call functions of the user's: all that these gave and recorded goes to the recorders,
// so that derivatives don't call them again.
#pragma once

#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail {

// The graph with the results of such calls, and of what has them in its regions, as outputs behind its own.
inline graph with_calls_as_outputs(graph_view const& g) {
    graph out = copied(g);
    out.clear_outputs();
    std::size_t const results = value_outputs(g);
    for (std::size_t k = 0; k < results; ++k) out.add_output(g.outputs[k]);
    auto const calls = [](node const& n) { return (is_callback(n) || has_regions(n)) && n.bits[0] != 0; };
    for (std::size_t i = 0; i < g.size(); ++i) {
        node const& n = g.nodes[i];
        if (n.type != dtype::token && calls(n.code == op::result ? g[g.operand(n, 0)] : n)) out.add_output(to_id(i));
    }
    if (results < g.outputs.size()) out.add_output(g.outputs[results]);
    return out;
}

template <class Leaves, class Result>
void run_recorded(graph_view const& traced, Leaves const& leaves, Result& out, call_record& call) {
    graph const g = with_calls_as_outputs(traced);
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
    for (host_array& a : further) outputs[k++] = a.bytes.data();
    simd::tiles::run_program_within<>(*program, {leaves.data, outputs.data()});
    call.add_results(out);
    call.tell(g.view(), further, made.release());
}

} // namespace tx::detail
