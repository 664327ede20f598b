// This file declares the part of tx::profile that depends on no type: the profiles of programs of the tile executor.
#pragma once

#include <tracexpr/run/function_call.hpp>
#include <tracexpr/run/profile_report.hpp>
#include <tracexpr/run/tiled_trace.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// profiled_call is a call of a callable that is traced at run time: its trace, and the leaves of its arguments and of its result.
struct profiled_call {
    runtime_program const& trace;
    table_view<dims> extents;
    table_view<tiled_argument> arguments;
    table_view<void const*> elements; // of the arguments
    table_view<tiled_result> results; // which get memory for their elements
    pass_options const& passes;
    bool node_by_node; // as functions that run eagerly do
};

// Profiles such a call. Variables that it assigns to keep their values.
template <class Unused = void> profile_report profile_traced(profile_options const& o, profiled_call const& call);
// Profiles a program on tiles.
template <class Unused = void>
profile_report profile_program(profile_options const& o, tiles::program const& made, simd::io const& args);

} // namespace tx::detail::inline TRACEXPR_RUNS

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/profile_program_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(profile_report profile_traced<void>(profile_options const&, profiled_call const&))
TRACEXPR_INSTANCE(profile_report profile_program<void>(profile_options const&, tiles::program const&, simd::io const&))
} // namespace tx::detail::inline TRACEXPR_RUNS
