// This file describes a call of a function that is traced at run time without its types, so that code which runs it is compiled
// once: the leaves of its arguments and of its result, and functions that know the types.
#pragma once

#include <tracexpr/run/registry.hpp>
#include <tracexpr/run/tiled_trace.hpp>

namespace tx::detail {

// knowledge is what a run-time trace may know of the ranks and extents that the arguments' types leave open.
enum class knowledge { all, as_little_as_it_can, none };

inline namespace TRACEXPR_RUNS {

// result_leaves are the leaves of a result; how many there are a run may have to tell.
struct result_leaves {
    table_view<tiled_result> all;
    buffer<tiled_result> room{};
};

// function_kind holds what is the same for all calls of a function with arguments of these types. `call` is what function_call
// has as `typed`.
struct function_kind {
    pass_options const& passes;
    knowledge known;
    bool returns_nothing;                               // the callable returns void
    bool gives_nothing;                                 // it returns void or a tuple of nothing
    void (*add_keys)(void const* call, key_values& to); // null if the trace depends on no values
    void (*trace)(void const* call, argument_scope& scope);
    signature_text (*describe)(void const* call, graph_view const& traced);
    void (*become_inlined)(void const* call, trace_scope& scope); // calls the callable in that trace and sets the result
    void (*record_inlined)(void const* call, trace_scope& scope); // calls it in that trace and records its results as outputs
    // Registers the routines that arguments, and a result of that form if it has lists, need; null with tracexpr::compiled.
    void (*need_routines)(void const* call, void const* result_form);
    // For a result with lists: take_form gives it as many parts as the callable returned when it was traced, and lists them;
    // has_form says whether it has as many.
    void (*take_form)(void const* call, void const* form, result_leaves& out);
    bool (*has_form)(void const* call, void const* form);
};

// leaf_room is memory for something of each leaf, or none: the run then uses its own.
struct leaf_room {
    void const** data = nullptr;
    dims* extents = nullptr;
    stored_variable* variables = nullptr;
};

struct function_call {
    function_kind const& kind;
    void const* typed;
    trace_registry& traces;
    unsigned signature; // the number of the arguments' types
    bool reduces_retracing;
    table_view<tiled_argument> arguments; // `given` arguments of the call, then what the callable holds
    std::size_t given;
    leaf_room room;
    result_leaves& results;
};

// Runs a call, eagerly if functions run so, and fills its result, which has just been made.
template <class Unused = void> void run_function(function_call const& call, bool eagerly);
// Overwrites the result, if that can be done before the call is over; else it does nothing and returns false. Nothing may be
// traced or recorded around the call.
template <class Unused = void> bool overwrite_by_function(function_call const& call);
// Returns the trace of a call.
template <class Unused = void>
std::shared_ptr<runtime_program const> trace_of_function(function_call const& call, knowledge known);
// Takes over a trace that another function made for arguments like these.
template <class Unused = void> void adopt_trace(function_call const& call, std::shared_ptr<runtime_program const> const& trace);
// Tells the tapes of this thread the results of a call.
template <class Unused = void> void record_function(function_call const& call, graph_view const& traced);
// Returns the variables that a call assigns to.
template <class Unused = void> buffer<stored_variable> variables_of(function_call const& call);

} // namespace TRACEXPR_RUNS
} // namespace tx::detail

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/function_call_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(void run_function<void>(function_call const&, bool))
TRACEXPR_INSTANCE(bool overwrite_by_function<void>(function_call const&))
TRACEXPR_INSTANCE(std::shared_ptr<runtime_program const> trace_of_function<void>(function_call const&, knowledge))
TRACEXPR_INSTANCE(void adopt_trace<void>(function_call const&, std::shared_ptr<runtime_program const> const&))
TRACEXPR_INSTANCE(void record_function<void>(function_call const&, graph_view const&))
TRACEXPR_INSTANCE(buffer<stored_variable> variables_of<void>(function_call const&))
} // namespace tx::detail::inline TRACEXPR_RUNS
