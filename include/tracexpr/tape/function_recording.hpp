// A function of the user's that was called once is recorded as the ops that it called on its tensors, with their values.
// Derivatives of any order are appended to this record.
#pragma once

#include <tracexpr/graph/recorded_calls.hpp>
#include <tracexpr/run/recording/recorder.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

template <class Unused = void>
recorded_call* new_function_recording(tape_record& of, buffer<node_id> inputs, buffer<node_id> outputs);

} // namespace tx::detail::inline TRACEXPR_RUNS

#if TRACEXPR_HAS_BODIES
#include <tracexpr/tape/function_recording_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(recorded_call* new_function_recording<void>(tape_record&, buffer<node_id>, buffer<node_id>))
} // namespace tx::detail::inline TRACEXPR_RUNS
