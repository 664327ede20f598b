// Programs of the tile executor, for those that make and run them and need not know what they hold.
#pragma once

#include <tracexpr/backends/calls/io.hpp>
#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/options.hpp>

#include <memory>

namespace tx::detail {
class step_times;
}

namespace tx::inline TRACEXPR_RUNS::tiles {

using detail::io;

struct program;

// `traced` is simplified or not; arguments: all their extents. Throws shape_error where these don't fit.
template <class Unused = void>
std::shared_ptr<program const> make_program(graph_view const& traced, table_view<dims> arguments, pass_options const& given);

// Arguments and outputs, in the order of the graph's; outputs have the extents that the plan says, and don't overlap arguments.
template <class Unused = void> void run_program(program const& p, io const& args);
// The same within a run: what functions of the user's record is the caller's (tx::detail::recorded_calls).
template <class Unused = void> void run_program_within(program const& p, io const& args);
// With a clock around each step.
template <class Unused = void> void run_program_timed(program const& p, io const& args, detail::step_times& times);

// The loops of what was clustered so, for arguments of these extents, and one step of them on the buffers of its plan.
template <class Unused = void> std::shared_ptr<program const> make_loops(graph_view const& g, clusters_view const& c,
                                                                         table_view<dims> arguments, pass_options const& given);
template <class Unused = void> void run_loops(program const& p, std::size_t step, std::byte* const* buffers);

template <class Unused = void> std::int64_t arena_bytes(program const& p);
template <class Unused = void> dims const& output_extents(program const& p, std::size_t k);
template <class Unused = void> dtype output_type(program const& p, std::size_t k);
template <class Unused = void> std::size_t output_count(program const& p);
// May a run throw after it has written results? (passes/stops.hpp)
template <class Unused = void> bool stops_midway(program const& p);

} // namespace tx::inline TRACEXPR_RUNS::tiles
