// This file declares programs of the tile executor, and includes the bodies of the functions that make and run them, in files
// that compile those.
#pragma once

#include <tracexpr/backends/tiles/program_calls.hpp>

#if TRACEXPR_HAS_BODIES
#include <tracexpr/backends/tiles/programs_bodies.hpp>
#endif

namespace tx::inline TRACEXPR_RUNS::tiles {
TRACEXPR_INSTANCE(std::shared_ptr<program const> make_program<void>(graph_view const&, table_view<dims>, pass_options const&))
TRACEXPR_INSTANCE(std::shared_ptr<program const> make_loops<void>(graph_view const&, clusters_view const&, table_view<dims>,
                                                                  pass_options const&))
TRACEXPR_INSTANCE(void run_loops<void>(program const&, std::size_t, std::byte* const*))
TRACEXPR_INSTANCE(std::int64_t arena_bytes<void>(program const&))
TRACEXPR_INSTANCE(void run_program<void>(program const&, io const&))
TRACEXPR_INSTANCE(void run_program_within<void>(program const&, io const&))
TRACEXPR_INSTANCE(void run_program_timed<void>(program const&, io const&, detail::step_times&))
TRACEXPR_INSTANCE(dims const& output_extents<void>(program const&, std::size_t))
TRACEXPR_INSTANCE(dtype output_type<void>(program const&, std::size_t))
TRACEXPR_INSTANCE(std::size_t output_count<void>(program const&))
TRACEXPR_INSTANCE(bool stops_midway<void>(program const&))
} // namespace tx::inline TRACEXPR_RUNS::tiles
