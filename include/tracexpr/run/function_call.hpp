// A call of a function that is traced while the program runs, as code sees it that doesn't depend on its types: the leaves of its
// arguments and of its result, and functions that know the types.
#pragma once

#include <tracexpr/run/registry.hpp>
#include <tracexpr/run/tiled_trace.hpp>

namespace tx::detail {

// What a run-time trace may know of the ranks and extents that the arguments' types leave open.
enum class knowledge { all, as_little_as_it_can, none };

inline namespace TRACEXPR_RUNS {

// The leaves of a result, whose parts a run may have to tell.
struct result_leaves {
    table_view<tiled_result> all;
    buffer<tiled_result> room{};
};

// What is the same for all calls of a function with arguments of these types. `call`: what function_call has as `typed`.
struct function_kind {
    pass_options const& passes;
    knowledge known;
    bool returns_nothing;                               // void
    bool gives_nothing;                                 // or a tuple of nothing
    void (*add_keys)(void const* call, key_values& to); // null where the trace depends on no values
    void (*trace)(void const* call, argument_scope& scope);
    signature_text (*describe)(void const* call, graph_view const& traced);
    void (*become_inlined)(void const* call, trace_scope& scope); // calls the callable in that trace, for the result
    void (*record_inlined)(void const* call, trace_scope& scope); // for the outputs of what is recorded there
    // Of what it takes and gives, and of a result with lists, of that form; null with tracexpr::compiled.
    void (*need_routines)(void const* call, void const* result_form);
    // Of a result with lists: makes it have as many parts as the callable returned when it was traced, and lists them; has it as
    // many?
    void (*take_form)(void const* call, void const* form, result_leaves& out);
    bool (*has_form)(void const* call, void const* form);
};

// Memory for something of each leaf, or none: then the run brings its own.
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
    table_view<tiled_argument> arguments; // those of the call, of which there are `given`, then what the callable holds
    std::size_t given;
    leaf_room room;
    result_leaves& results;
};

// Runs it, eagerly where functions run so; gives the result, which has just been made, its values.
template <class Unused = void> void run_function(function_call const& call, bool eagerly);
// Writes over the result, if that can be done before the call is over; else it does nothing and returns false. Nothing is traced
// or recorded around it.
template <class Unused = void> bool overwrite_by_function(function_call const& call);
// Its trace.
template <class Unused = void>
std::shared_ptr<runtime_program const> trace_of_function(function_call const& call, knowledge known);
// Takes over a trace that another function made for arguments like these.
template <class Unused = void> void adopt_trace(function_call const& call, std::shared_ptr<runtime_program const> const& trace);
// Tells the tapes of this thread what a call gave.
template <class Unused = void> void record_function(function_call const& call, graph_view const& traced);
// The variables that it assigns to.
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
