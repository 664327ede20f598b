// This file holds the bodies of profile_program.hpp.
#pragma once

#include <tracexpr/run/profile_program.hpp>

#include <tracexpr/backends/tiles/run.hpp>
#include <tracexpr/run/profile_lines.hpp>

namespace tx::detail {
inline namespace TRACEXPR_TARGET {

// Names how tiles run a step's loops: along rows, several short rows at once, side by side down columns, or many results at once.
inline std::string tile_strategy(simd::tiles::detail::tile_step const& s) {
    using form = simd::tiles::detail::loop_form;
    if (s.loops.empty()) return {};
    form const first = s.loops[0].form;
    std::string out = s.loops.size() > 1          ? "nest"
                      : first == form::rows       ? "rows"
                      : first == form::short_rows ? "short_rows"
                      : first == form::columns    ? "columns"
                      : first == form::blocks     ? (s.loops[0].terms.run ? "register_tile" : "results")
                                                  : "elements";
    if (s.streams) out += ", past the caches";
    if (s.piece_bytes > 0) out += ", shared by threads";
    return out;
}

} // namespace TRACEXPR_TARGET

inline namespace TRACEXPR_RUNS {

template <class Unused> profile_report profile_program(profile_options const& o, program const& made, simd::io const& args) {
    plan_view const p = made.plan.view();
    profile_report out = measured_plan(
        o, made.graph.view(), p, p, [&](std::size_t s) { return tile_strategy(made.steps[s]); },
        [&] { tiles::run_program<Unused>(made, args); },
        [&](step_times& times) { tiles::run_program_timed<Unused>(made, args, times); });
    out.executor = "tiles";
    return out;
}
template <class Unused> profile_report profile_traced(profile_options const& o, profiled_call const& call) {
    graph_view const traced = call.trace.traced.view();
    std::shared_ptr<program const> const made =
        call.node_by_node ? tiles::make_program<Unused>(traced, call.extents, {.simplify = false, .cluster = false})
                          : tiles::make_program<Unused>(call.trace.simplified.view(), call.extents, call.passes);
    buffer<stored_variable> variables;
    for (tiled_argument const& leaf : call.arguments) variables.push_back(variable_of(leaf));
    stored_variables const stored(traced, variables);
    for (std::size_t k = 0; k < call.results.size(); ++k) {
        tiled_result const& r = call.results[k];
        stored.outputs()[k] = r.access->make(r.leaf, made->output_extents(k));
    }
    stored.prepare(*made);
    return profile_program<Unused>(o, *made, {call.elements.data(), stored.outputs()});
}

} // namespace TRACEXPR_RUNS
} // namespace tx::detail
