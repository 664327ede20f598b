// This file declares the functions that make and run programs of the tile executor, for code that need not know what a program
// holds.
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

// Makes a program. `traced` may be simplified or not; `arguments` are all extents of the arguments. Throws shape_error if these
// don't fit.
template <class Unused = void>
std::shared_ptr<program const> make_program(graph_view const& traced, table_view<dims> arguments, pass_options const& given);

// Runs a program. Arguments and outputs are in the graph's order; outputs have the extents that the plan says, and must not
// overlap arguments.
template <class Unused = void> void run_program(program const& p, io const& args);
// Runs a program within another run, whose caller owns the records of calls of user functions (tx::detail::recorded_calls).
template <class Unused = void> void run_program_within(program const& p, io const& args);
// Runs a program with a clock around each step.
template <class Unused = void> void run_program_timed(program const& p, io const& args, detail::step_times& times);

// make_loops makes the program of the loops of a graph that has been clustered, for arguments of these extents; run_loops runs
// one step of it on the buffers of its plan.
template <class Unused = void> std::shared_ptr<program const> make_loops(graph_view const& g, clusters_view const& c,
                                                                         table_view<dims> arguments, pass_options const& given);
template <class Unused = void> void run_loops(program const& p, std::size_t step, std::byte* const* buffers);

template <class Unused = void> std::int64_t arena_bytes(program const& p);
template <class Unused = void> dims const& output_extents(program const& p, std::size_t k);
template <class Unused = void> dtype output_type(program const& p, std::size_t k);
template <class Unused = void> std::size_t output_count(program const& p);
// True if a run may throw after it has written results (see passes/stops.hpp).
template <class Unused = void> bool stops_midway(program const& p);

} // namespace tx::inline TRACEXPR_RUNS::tiles
