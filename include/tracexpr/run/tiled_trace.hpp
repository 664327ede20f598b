// This file runs what the compiler traced on tiles. Of such a function only its trace is compiled; passes and plan are made when
// a call first needs them, once for the extents of its arguments.
//
// A call forgets its types at once: it lists its leaves, and one function runs all calls.
#pragma once

#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/run/runtime_trace.hpp>
#include <tracexpr/run/stored_variables.hpp>
#include <tracexpr/trace/op_recorder.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// argument_access says how a leaf of a call's arguments is read.
struct argument_access {
    void const* (*data)(void const* leaf); // throws if a tensor has no elements because it is part of a trace
    dims (*extents)(void const* leaf);
    seen_value (*see)(void const* leaf);
    dtype type;
    dims const* typed; // the shape as the type knows it
    void (*to_words)(void const* elements, std::size_t count, std::uint64_t* words);
    node_id (*record)(trace_scope& scope, void const* leaf); // records what is read at each run; else null
    stored_variable (*variable)(void const* leaf);           // the variable to which a call may assign; else null
};
struct tiled_argument {
    void const* leaf;
    tensor_identity const* identity; // a tensor's identity; else null
    argument_access const* access;
};
inline stored_variable variable_of(tiled_argument const& a) {
    return a.access->variable ? a.access->variable(a.leaf) : stored_variable{};
}
template <class Part> struct argument_reading {
    static void const* data(void const* leaf) { return leaf_access<Part>::data(*static_cast<Part const*>(leaf)); }
    static dims shape(void const* leaf) { return leaf_access<Part>::extents(*static_cast<Part const*>(leaf)); }
    static seen_value see(void const* leaf) { return seen_leaf(*static_cast<Part const*>(leaf)); }
};
template <tensor_type Part> struct argument_reading<Part> : tensor_reading<Part> {};
template <class Part> constexpr auto recording_of_argument() -> node_id (*)(trace_scope&, void const*) {
    if constexpr (tensor_type<Part> || !held_type<Part>) return nullptr;
    else return [](trace_scope& scope, void const* leaf) { return lift(scope, *static_cast<Part const*>(leaf)).id(); };
}
template <class Part> constexpr auto variable_of_argument() -> stored_variable (*)(void const*) {
    if constexpr (!captured_type<Part> && !variable_type<Part>) return nullptr;
    else return [](void const* leaf) { return stored_leaf(*static_cast<Part const*>(leaf)); };
}
template <class Part>
inline constexpr argument_access access_to_argument = {argument_reading<Part>::data,
                                                       argument_reading<Part>::shape,
                                                       argument_reading<Part>::see,
                                                       dtype_of<typename leaf_access<Part>::value_type>,
                                                       &dims_of<typename leaf_access<Part>::shape_type>,
                                                       elements_to_words<stored<typename leaf_access<Part>::value_type>>,
                                                       recording_of_argument<Part>(),
                                                       variable_of_argument<Part>()};
template <class Source> inline constexpr argument_access access_to_argument<captured_leaf<Source>> = {
    Source::captured_value.data,
    Source::captured_value.shape,
    Source::captured_value.see,
    Source::type,
    &Source::value,
    nullptr,
    [](trace_scope& scope, void const* leaf) {
        return record_live(scope, Source::type, Source::value, captured_leaf<Source>{leaf}.capture());
    },
    nullptr};
template <class Part> TRACEXPR_INLINE tiled_argument argument_of_call(Part const& part) {
    if constexpr (is_captured_leaf<Part>) return {part.at, nullptr, &access_to_argument<Part>};
    else if constexpr (tensor_type<Part>) return {&part, &tensor_access::identity(part), &access_to_argument<Part>};
    else return {&part, nullptr, &access_to_argument<Part>};
}

// result_access says how a leaf of a call's result is written.
struct result_access {
    // make allocates a tensor's elements for these extents.
    void* (*make)(void* leaf, dims const& extents);
    // own returns its own elements; null if there are none, if they are shared, or if they have other extents.
    void* (*own)(void* leaf, dims const& extents);
    void (*become)(void* leaf, trace_scope& scope, node_id id);
    seen_value (*see)(void const* leaf);
    std::int64_t element_bytes;
};
struct tiled_result {
    void* leaf;
    result_access const* access;
};
template <class Part> struct result_leaf_access {
    static void* make(void* leaf, [[maybe_unused]] dims const& extents) {
        Part& part = *static_cast<Part*>(leaf);
        if constexpr (!tensor_type<Part>) {
            return &part;
        } else {
            if constexpr (!Part::static_dims().is_static()) part = Part::uninitialized(extents);
            else if constexpr (!is_inline<typename Part::value_type, typename Part::shape_type>) part = Part::uninitialized();
            return tensor_access::overwritten(part);
        }
    }
    static void* own(void* leaf, dims const& extents) {
        Part& part = *static_cast<Part*>(leaf);
        if constexpr (!tensor_type<Part>) {
            return &part;
        } else {
            if (tensor_access::is_symbolic(part)) static_cast<void>(part.data()); // throws
            if (!tensor_access::is_plain(part) || !tensor_access::is_exclusive(part) || part.dimensions() != extents)
                return nullptr;
            return const_cast<typename Part::stored_type*>(tensor_access::own_data(part));
        }
    }
    static void become(void* leaf, trace_scope& scope, node_id id) {
        if constexpr (tensor_type<Part>)
            *static_cast<Part*>(leaf) =
                tensor_access::from_symbol<Part>(&scope, static_cast<std::int32_t>(id), scope.recorded.shape_of(id));
    }
    static constexpr result_access table{make, own, become, argument_reading<Part>::see,
                                         sizeof(typename leaf_access<Part>::value_type)};
};

struct tiled_trace;
class traced_programs;
// op_programs are those of one op on operands of some types. They are made when it is first called, and stay until the program
// ends.
struct op_programs {
    std::atomic<traced_programs*> made = nullptr;
};
// Returns the program for operands of these extents; make(by) traces the op.
template <class Unused = void>
traced_program program_of_op(op_programs& of, table_view<dims> extents, runtime_program (*make)(void const* by), void const* by);
struct tiled_source {
    graph_view trace; // has no nodes if there is a recorder, which makes the trace when it is first asked for
    pass_options const& passes;
    void (*need_routines)();
    op_recorder const* recorder = nullptr;
    std::atomic<tiled_trace const*> made = nullptr; // stays until the program ends
};

// tiled_call is one call.
struct tiled_call {
    tiled_source& source;
    table_view<tiled_argument> arguments;
    table_view<tiled_result> results;
    bool records = true; // for this thread's tapes
};
// Runs a program on leaves, and gives results that were just made tensors of the right extents.
template <class Unused = void>
void run_listed(program const& p, table_view<tiled_argument> arguments, table_view<tiled_result> results);
// Gives the results, which have just been made, tensors of the right extents, and fills them; returns true.
template <class Unused = void> bool run_tiled(tiled_call const& call);
// Runs a call in the same way; but if it belongs to a trace under way, makes it part of that trace and returns false.
template <class Unused = void> bool run_or_append_tiled(tiled_call const& call);
// Overwrites the results, if they can be written before the call is over; else it does nothing. No tape may be recording.
template <class Unused = void> bool overwrite_tiled(tiled_call const& call);

} // namespace tx::detail::inline TRACEXPR_RUNS

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/tiled_trace_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {

TRACEXPR_INSTANCE(traced_program program_of_op<void>(op_programs&, table_view<dims>, runtime_program (*)(void const*),
                                                     void const*))
TRACEXPR_INSTANCE(void run_listed<void>(program const&, table_view<tiled_argument>, table_view<tiled_result>))
TRACEXPR_INSTANCE(bool run_tiled<void>(tiled_call const&))
TRACEXPR_INSTANCE(bool run_or_append_tiled<void>(tiled_call const&))
TRACEXPR_INSTANCE(bool overwrite_tiled<void>(tiled_call const&))

} // namespace tx::detail::inline TRACEXPR_RUNS
