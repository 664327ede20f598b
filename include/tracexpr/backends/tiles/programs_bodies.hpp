// This file holds the bodies of the functions that make and run programs of the tile executor.
#pragma once

#include <tracexpr/backends/tiles/programs.hpp>
#include <tracexpr/backends/tiles/run.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::inline TRACEXPR_RUNS::tiles {

template <class Unused>
std::shared_ptr<program const> make_program(graph_view const& traced, table_view<dims> arguments, pass_options const& given) {
    simd::tiles::detail::know_compiled_routines<Unused>();
    auto out = std::make_shared<program>();
    pass_options options = given;
    options.kernels = execution::tiles;
    compiled_graph made = run_passes(specialized(traced, arguments).view(), options, {}, target_of(options));
    out->graph = std::move(made.simplified);
    out->plan = std::move(made.plan);
    out->stops_midway = detail::stops_midway(out->graph.view(), out->plan.view(), made.clusters.view().space);
    out->branches = std::make_shared<simd::tiles::detail::branch_programs>(options);
    simd::tiles::detail::program_builder<Unused>(*out).run();
    return out;
}

template <class Unused> std::shared_ptr<program const> make_loops(graph_view const& g, clusters_view const& c,
                                                                  table_view<dims> arguments, pass_options const& given) {
    simd::tiles::detail::know_compiled_routines<Unused>();
    auto out = std::make_shared<program>();
    pass_options options = given;
    options.kernels = execution::tiles;
    buffer<dims> const extents = inferred_extents(g, arguments);
    out->graph = copied(g);
    out->plan = make_plan(g, c, {extents.data(), extents.size()}, options, target_of(options));
    simd::tiles::detail::program_builder<Unused>(*out).run();
    return out;
}

} // namespace tx::inline TRACEXPR_RUNS::tiles

TRACEXPR_END_PASSES

namespace tx::inline TRACEXPR_RUNS::tiles {

template <class Unused> void run_program(program const& p, io const& args) {
    detail::recorded_calls const of_this_run;
    simd::tiles::detail::program_run<Unused>(p, args).run();
}
template <class Unused> void run_program_within(program const& p, io const& args) {
    simd::tiles::detail::program_run<Unused>(p, args).run();
}
template <class Unused> void run_program_timed(program const& p, io const& args, detail::step_times& times) {
    detail::recorded_calls const of_this_run;
    simd::tiles::detail::program_run<Unused>(p, args).run_around(times);
}
template <class Unused> void run_loops(program const& p, std::size_t step, std::byte* const* buffers) {
    simd::tiles::detail::program_run<Unused>(p, buffers).run_step(step);
}
template <class Unused> std::int64_t arena_bytes(program const& p) { return p.plan.arena_bytes[0]; }
template <class Unused> dims const& output_extents(program const& p, std::size_t k) { return p.output_extents(k); }
template <class Unused> dtype output_type(program const& p, std::size_t k) { return p.output_type(k); }
template <class Unused> std::size_t output_count(program const& p) { return value_outputs(p.graph.view()); }
template <class Unused> bool stops_midway(program const& p) { return p.stops_midway; }

} // namespace tx::inline TRACEXPR_RUNS::tiles
